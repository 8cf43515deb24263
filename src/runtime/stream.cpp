// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include "base/align.h"
#include "base/at_end.h"
#include "runtime/recorder.h"

// Large transfers, chunk by chunk through a ring of mapped blocks: while one chunk is on the link
// the host copies the next, and the mapped memory stays small however much there is to move.
namespace vyre {
namespace {

constexpr std::size_t kRing = 4;

}  // namespace

/// Writes `bytes` at a 4-aligned offset; a last word that is not whole ends in zeros.
Status Recorder::stream_up(DriverBlock& to,
                           std::uint64_t offset,
                           std::span<const std::byte> bytes,
                           Clock::time_point deadline) {
  const TraceSpan traced(options_.trace, "stream up");
  std::array<std::optional<Loan>, kRing> ring;
  std::size_t turn = 0;
  for (std::uint64_t at = 0; at < bytes.size(); at += options_.chunk_bytes, ++turn)
    VYRE_CHECK_OK(send_chunk(ring[turn % kRing], to, offset + at,
                             bytes.subspan(at, std::min(options_.chunk_bytes, bytes.size() - at)),
                             deadline));
  return Ok{};
}

Status Recorder::send_chunk(std::optional<Loan>& through,
                            DriverBlock& to,
                            std::uint64_t offset,
                            std::span<const std::byte> bytes,
                            Clock::time_point deadline) {
  if (through) {
    VYRE_CHECK_OK(wait_for_view(**through, deadline));
  } else {
    VYRE_TRY(through, acquire_one(BlockUse::upload, options_.chunk_bytes));
  }
  DriverBlock& block = **through;
  const std::uint64_t size = align_to(bytes.size(), 4);
  std::byte* const view = block.data();
  host_copy({view, bytes.size()}, bytes);
  std::memset(view + bytes.size(), 0, size - bytes.size());
  driver_->unmap(block);
  const AtEnd view_back([&] { driver_->map(block); });
  const BlockCopy copy = {{&block, 0, size}, &to, offset};
  return transfer(std::span(&copy, 1), {});
}

/// Reads bytes at any offset.
Status Recorder::stream_down(DriverBlock& from,
                             std::uint64_t offset,
                             std::span<std::byte> bytes,
                             Clock::time_point deadline) {
  const TraceSpan traced(options_.trace, "stream down");
  const std::uint64_t skip = offset % 4;
  const std::uint64_t end = skip + bytes.size();
  const std::uint64_t chunk = options_.chunk_bytes;
  std::array<std::optional<Loan>, kRing> ring;
  const AtEnd given_back([&] {
    for (std::optional<Loan>& block : ring)
      if (block) give_back_view(block->take());
  });
  // Chunks are asked for a ring ahead of those that are copied out.
  for (std::uint64_t asked = 0, taken = 0; taken * chunk < end;) {
    if (asked * chunk < end && asked < taken + kRing) {
      const std::uint64_t at = asked * chunk;
      VYRE_CHECK_OK(ask_for_chunk(ring[asked++ % kRing], from, offset - skip + at,
                                  align_to(std::min(chunk, end - at), 4)));
      continue;
    }
    const std::uint64_t at = taken * chunk;
    DriverBlock& through = **ring[taken++ % kRing];
    VYRE_CHECK_OK(wait_for_view(through, deadline));
    const std::uint64_t first = at == 0 ? skip : 0;
    const std::uint64_t size = std::min(chunk, end - at) - first;
    host_copy(bytes.subspan(at + first - skip, size), {through.data() + first, size});
    driver_->unmap(through);
  }
  return Ok{};
}

Status Recorder::ask_for_chunk(std::optional<Loan>& through,
                               DriverBlock& from,
                               std::uint64_t offset,
                               std::uint64_t size) {
  if (!through) {
    VYRE_TRY(through, acquire_one(BlockUse::readback, options_.chunk_bytes));
  }
  const BlockCopy copy = {{&from, offset, size}, through->get(), 0};
  VYRE_CHECK_OK(transfer({}, std::span(&copy, 1)));
  driver_->map(**through);
  return Ok{};
}

/// A readback whose view may be there, or still on its way: then nobody can use the block again.
void Recorder::give_back_view(PooledBlock block) {
  const bool maps = !driver_->traits().unified;
  if (maps && block.block->data() != nullptr) driver_->unmap(*block.block);
  const bool pending = maps && block.block->mapping.is(Signal::State::pending);
  const std::lock_guard lock(mutex_);
  if (pending)
    pool_.discard(std::move(block));
  else
    pool_.release(std::move(block));
}

}  // namespace vyre
