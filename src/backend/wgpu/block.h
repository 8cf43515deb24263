// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <mutex>

#include "backend/wgpu/gpu.h"
#include "runtime/driver.h"

/// Device memory behind the recorder's contract.
namespace vyre::wgpu {

class Block final : public DriverBlock {
 public:
  /// A new block, zeroed; uploads start out mapped.
  static Result<std::unique_ptr<DriverBlock>> make(std::shared_ptr<const Gpu> gpu,
                                                   BlockUse use,
                                                   std::uint64_t size,
                                                   std::uint64_t serial);
  ~Block() override;

  [[nodiscard]] WGPUBuffer buffer() const { return buffer_.get(); }
  /// See `Driver::map` and `Driver::unmap`.
  void map();
  void unmap();

 private:
  /// What a map callback holds on to: it may come after the block is gone.
  struct Link {
    std::mutex mutex;
    Block* block = nullptr;  ///< guarded by `mutex`; null once the block is gone
  };

  Block(std::shared_ptr<const Gpu> gpu,
        BlockUse use,
        std::uint64_t size,
        std::uint64_t serial,
        BufferHandle buffer);
  static void on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* link, void*);
  void show();

  std::shared_ptr<const Gpu> gpu_;
  BlockUse use_;
  BufferHandle buffer_;
  std::shared_ptr<Link> link_ = std::make_shared<Link>();
};

/// The buffer behind a block of this driver's.
WGPUBuffer buffer_of(const DriverBlock* block);

}  // namespace vyre::wgpu
