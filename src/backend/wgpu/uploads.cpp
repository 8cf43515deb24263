// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/uploads.h"

#include <cstring>

namespace vyre::wgpu {
namespace {

constexpr std::uint64_t kPackAlign = 16;

}  // namespace

std::vector<Upload> pack_uploads(const std::vector<Slot>& slots,
                                 std::uint64_t max_block,
                                 std::vector<std::uint64_t>& sizes) {
  std::vector<Upload> uploads;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].supplied.empty()) continue;
    const std::uint64_t size = round_up(slots[i].supplied.size(), kCopyAlign);
    const std::uint64_t offset = sizes.empty() ? 0 : round_up(sizes.back(), kPackAlign);
    const bool fits = !sizes.empty() && offset + size <= max_block;
    if (!fits) sizes.push_back(0);
    uploads.push_back({i, sizes.size() - 1, fits ? offset : 0, size});
    sizes.back() = uploads.back().offset + size;
  }
  return uploads;
}

Result<Uploads> place_uploads(const Gpu& gpu, const Job& job) {
  std::vector<std::uint64_t> sizes;
  Uploads uploads;
  uploads.copies = pack_uploads(job.slots, gpu.info().limits.buffer_size, sizes);
  std::vector<std::byte*> mapped;
  for (const std::uint64_t size : sizes) {
    VYRE_TRY(auto block, gpu.make_buffer("uploads", size, WGPUBufferUsage_CopySrc, true));
    void* bytes = api().BufferGetMappedRange(block.get(), 0, size);
    if (bytes == nullptr)
      return Error(ErrorKind::out_of_memory, "device-memory",
                   "the upload block of " + std::to_string(size) + " bytes cannot be mapped");
    mapped.push_back(static_cast<std::byte*>(bytes));
    uploads.blocks.push_back(std::move(block));
  }
  for (const Upload& upload : uploads.copies) {
    const auto bytes = job.slots[upload.slot].supplied;
    std::byte* to = mapped[upload.block] + upload.offset;
    std::memcpy(to, bytes.data(), bytes.size());
    std::memset(to + bytes.size(), 0, upload.size - bytes.size());
  }
  for (const BufferHandle& block : uploads.blocks)
    api().BufferUnmap(block.get());
  return uploads;
}

void record_uploads(WGPUCommandEncoder encoder,
                    const Uploads& uploads,
                    const std::vector<Bound>& bound) {
  for (const Upload& upload : uploads.copies)
    api().CommandEncoderCopyBufferToBuffer(encoder, uploads.blocks[upload.block].get(),
                                           upload.offset, bound[upload.slot].buffer.get(), 0,
                                           upload.size);
}

}  // namespace vyre::wgpu
