// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/null/null.h"

#include <algorithm>
#include <cstring>

#include "backend/backend.h"

// A device that runs nothing: the smallest reading of `runtime/driver.h`, for tests of the recorder
// and for measuring what the host side of a dispatch costs.  Copies and clears are carried out;
// kernels do nothing, so outputs are zeros, or what went in.
namespace vyre::null {
namespace {

class Block final : public DriverBlock {
 public:
  Block(std::unique_ptr<std::byte[]> memory, std::uint64_t size, std::uint64_t serial, BlockUse use)
      : DriverBlock(size, serial), memory_(std::move(memory)) {
    if (is_upload(use)) show();
  }
  void show() { data_ = memory_.get(); }
  void hide() { data_ = nullptr; }
  [[nodiscard]] std::byte* memory() const { return memory_.get(); }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

class NullKernel final : public DriverKernel {};
class NullBindings final : public DriverBindings {};

std::byte* at(const BlockRange& range) {
  return static_cast<const Block*>(range.block)->memory() + range.offset;
}
void copy(const BlockCopy& copy) {
  std::memcpy(static_cast<const Block*>(copy.to)->memory() + copy.to_offset, at(copy.from),
              copy.from.size);
}

class NullDriver final : public Driver {
 public:
  NullDriver() {
    info_.backend = "null";
    info_.name = "null";
    info_.driver = "vyre";
    info_.limits.storage_buffers = 16;
    info_.limits.grid = 65535;
    info_.limits.buffer_size = std::uint64_t{4} << 30;
    traits_.bound_uploads = true;
    traits_.bound_readbacks = true;
    traits_.fresh_is_zero = true;
    traits_.passes_words = true;
    traits_.folded_grid = 65535;
  }

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const DriverTraits& traits() const override { return traits_; }
  [[nodiscard]] Target target() const override {
    Target target = wgsl_target();
    target.max_local_bytes = info_.limits.local_memory;
    return target;
  }

  Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) override {
    std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[size]());
    if (!memory)
      return Error(ErrorKind::out_of_memory, "out-of-memory",
                   "no memory for a block of " + std::to_string(size) + " bytes",
                   "free outputs and buffers, or use smaller ones");
    return std::unique_ptr<DriverBlock>(
        new Block(std::move(memory), size, serial_.fetch_add(1), use));
  }
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered&, std::string_view) override {
    return std::unique_ptr<DriverKernel>(new NullKernel);
  }
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel&,
                                               std::span<const BlockRange>) override {
    return std::unique_ptr<DriverBindings>(new NullBindings);
  }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override {
    for (const CommandList& list : lists) {
      for (const BlockCopy& upload : list.uploads)
        copy(upload);
      for (const BlockRange& clear : list.clears)
        std::memset(at(clear), 0, clear.size);
      for (const BlockCopy& download : list.downloads)
        copy(download);
    }
    if (options.done != nullptr) options.done->set(Signal::State::done);
    return Ok{};
  }
  void map(DriverBlock& block) override {
    static_cast<Block&>(block).show();
    block.mapping.set(Signal::State::done);
  }
  void unmap(DriverBlock& block) override {
    static_cast<Block&>(block).hide();
    block.mapping.set(Signal::State::idle);
  }
  void poll() override {}
  [[nodiscard]] bool lost() const override { return false; }

 private:
  DeviceInfo info_;
  DriverTraits traits_;
  std::atomic<std::uint64_t> serial_{1};
};

}  // namespace

std::unique_ptr<Driver> make_driver() {
  return std::make_unique<NullDriver>();
}

const Backend& backend() {
  static const Backend row = {
      .name = "null",
      .list =
          [] { return std::vector<DeviceEntry>{{.info = NullDriver().info(), .available = true}}; },
      .open = [](std::uint32_t) -> Result<std::unique_ptr<Driver>> { return make_driver(); },
      .hidden = true};
  return row;
}

}  // namespace vyre::null
