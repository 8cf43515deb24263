// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
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
    explicit Link(Block* of) : block(of) {}
    std::mutex mutex;
    Block* block;  ///< guarded by `mutex`; null once the block is gone
    std::atomic<std::uint32_t> references = 1;
  };

  Block(std::shared_ptr<const Gpu> gpu,
        BlockUse use,
        std::uint64_t size,
        std::uint64_t serial,
        BufferHandle buffer);
  static void on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* link, void*);
  static void release(Link* link);
  void show();

  std::shared_ptr<const Gpu> gpu_;
  BlockUse use_;
  BufferHandle buffer_;
  Link* link_;
};

/// The buffer behind a block of this driver's.
WGPUBuffer buffer_of(const DriverBlock* block);

}  // namespace vyre::wgpu
