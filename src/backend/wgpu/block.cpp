// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/block.h"

#include "backend/wgpu/latch.h"
#include "base/align.h"
#include "base/check.h"

namespace vyre::wgpu {
namespace {

struct UseRow {
  std::string_view label;
  WGPUBufferUsage usage;
};

constexpr WGPUBufferUsage kBound =
    WGPUBufferUsage_Storage | WGPUBufferUsage_Uniform | WGPUBufferUsage_Indirect;

UseRow row_of(BlockUse use) {
  switch (use) {
    case BlockUse::device:
      return {"device", kBound | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst};
    case BlockUse::uniform:
      // Storage too: a layout that uniform memory refuses is bound as read-only storage.
      return {"uniform", WGPUBufferUsage_Uniform | WGPUBufferUsage_Storage |
                             WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst};
    case BlockUse::upload: return {"upload", WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopySrc};
    case BlockUse::upload_bound:
      return {"upload, bound", WGPUBufferUsage_MapWrite | WGPUBufferUsage_CopySrc | kBound};
    case BlockUse::readback: return {"readback", WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst};
    case BlockUse::readback_bound:
      return {"readback, bound",
              WGPUBufferUsage_MapRead | WGPUBufferUsage_CopySrc | WGPUBufferUsage_CopyDst | kBound};
  }
  VYRE_UNREACHABLE();
}

}  // namespace

Result<std::unique_ptr<DriverBlock>> Block::make(std::shared_ptr<const Gpu> gpu,
                                                 BlockUse use,
                                                 std::uint64_t size,
                                                 std::uint64_t serial) {
  const UseRow row = row_of(use);
  const std::uint64_t whole = align_to(size, 4);
  VYRE_TRY(auto buffer, gpu->make_buffer(row.label, whole, row.usage, is_upload(use)));
  std::unique_ptr<Block> block(new Block(std::move(gpu), use, whole, serial, std::move(buffer)));
  if (is_upload(use)) {
    block->show();
    if (block->data() == nullptr)
      return Error(ErrorKind::out_of_memory, "device-memory",
                   "a block of " + std::to_string(whole) + " bytes cannot be mapped");
  }
  return std::unique_ptr<DriverBlock>(std::move(block));
}

Block::Block(std::shared_ptr<const Gpu> gpu,
             BlockUse use,
             std::uint64_t size,
             std::uint64_t serial,
             BufferHandle buffer)
    : DriverBlock(size, serial),
      gpu_(std::move(gpu)),
      use_(use),
      buffer_(std::move(buffer)),
      link_(new Link(this)) {}

Block::~Block() {
  {
    const std::scoped_lock lock(link_->mutex);
    link_->block = nullptr;
  }
  release(link_);
}

/// Counted by hand: a map costs no allocation.
void Block::release(Link* link) {
  if (link->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete link;
}

void Block::show() {
  data_ = is_upload(use_) ? static_cast<std::byte*>(api().BufferGetMappedRange(buffer(), 0, size()))
                          : static_cast<std::byte*>(const_cast<void*>(
                                api().BufferGetConstMappedRange(buffer(), 0, size())));
}

void Block::on_mapped(WGPUMapAsyncStatus status, WGPUStringView, void* link, void*) {
  auto* const owned = static_cast<Link*>(link);
  {
    const std::scoped_lock lock(owned->mutex);
    if (Block* const block = owned->block) {
      if (status == WGPUMapAsyncStatus_Success && !block->gpu_->lost()) block->show();
      block->mapping.set(block->data() != nullptr ? Signal::State::done : Signal::State::failed);
    }
  }
  release(owned);
}

void Block::map() {
  mapping.set(Signal::State::pending);
  WGPUBufferMapCallbackInfo callback = {};
  callback.mode = WGPUCallbackMode_AllowSpontaneous;
  callback.callback = on_mapped;
  link_->references.fetch_add(1, std::memory_order_relaxed);
  callback.userdata1 = link_;
  clear_latch();
  api().BufferMapAsync(buffer(), is_upload(use_) ? WGPUMapMode_Write : WGPUMapMode_Read, 0, size(),
                       callback);
  if (!is_latched()) return;
  gpu_->look_for_loss();
  mapping.set(Signal::State::failed);
}

void Block::unmap() {
  data_ = nullptr;
  mapping.set(Signal::State::idle);
  api().BufferUnmap(buffer());
}

WGPUBuffer buffer_of(const DriverBlock* block) {
  return static_cast<const Block*>(block)->buffer();
}

}  // namespace vyre::wgpu
