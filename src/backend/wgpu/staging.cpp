// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/staging.h"

#include <algorithm>

#include "lower/lower.h"

namespace vyre::wgpu {
namespace {

constexpr std::uint64_t kPieceAlign = 16;  // of the views that users get
constexpr std::uint64_t kTrapBytes = kTrapWords * sizeof(std::uint32_t);

/// Takes the next place in the block.
Piece take(std::uint64_t& end, std::size_t slot, Window window) {
  Piece piece = {.slot = slot, .from = window.begin / kCopyAlign * kCopyAlign};
  piece.skip = window.begin - piece.from;
  piece.length = window.end - window.begin;
  piece.size = piece.length == 0 ? 0 : round_up(window.end, kCopyAlign) - piece.from;
  piece.offset = round_up(end, kPieceAlign);
  end = piece.offset + piece.size;
  return piece;
}

}  // namespace

StagingPlan plan_staging(const std::vector<Slot>& slots,
                         std::optional<std::size_t> trap,
                         bool timed) {
  StagingPlan plan;
  if (trap) plan.trap = take(plan.size, *trap, {0, kTrapBytes});
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (slots[i].comes_back) plan.outputs.push_back(take(plan.size, i, slots[i].window));
  if (timed) {
    plan.timestamps = round_up(plan.size, kPieceAlign);
    plan.size = plan.timestamps + Timestamps::kBytes;
  }
  plan.size = std::max(plan.size, kPieceAlign);
  return plan;
}

Result<Staging> make_staging(const Gpu& gpu, const Job& job, bool timed) {
  Staging staging = {.plan = plan_staging(job.slots, job.trap, timed), .block = {}};
  const std::uint64_t limit = gpu.info().limits.buffer_size;
  if (staging.plan.size > limit)
    return Error(ErrorKind::out_of_memory, "outputs-too-large",
                 "the outputs of `" + std::string(job.label) + "` need " +
                     std::to_string(staging.plan.size) + " bytes together, and one buffer holds " +
                     std::to_string(limit),
                 "read back less at a time");
  VYRE_TRY(staging.block, gpu.make_buffer("staging", staging.plan.size,
                                          WGPUBufferUsage_MapRead | WGPUBufferUsage_CopyDst));
  return staging;
}

void record_copies(WGPUCommandEncoder encoder,
                   const Staging& staging,
                   const std::vector<Bound>& bound,
                   const Timestamps* timestamps) {
  bool used = false;
  const auto copy = [&](const Piece& piece) {
    if (piece.size == 0) return;
    used = true;
    api().CommandEncoderCopyBufferToBuffer(encoder, bound[piece.slot].buffer.get(), piece.from,
                                           staging.block.get(), piece.offset, piece.size);
  };
  if (timestamps != nullptr) timestamps->mark_copies_begin(encoder);
  if (staging.plan.trap) copy(*staging.plan.trap);
  for (const Piece& piece : staging.plan.outputs)
    copy(piece);
  // Without any use in the submission the map would not wait for it.
  if (!used) api().CommandEncoderClearBuffer(encoder, staging.block.get(), 0, kPieceAlign);
  if (timestamps == nullptr) return;
  timestamps->mark_copies_end(encoder);
  timestamps->record_resolve(encoder, staging.block.get(), staging.plan.timestamps);
}

}  // namespace vyre::wgpu
