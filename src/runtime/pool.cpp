// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/pool.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/align.h"

namespace vyre {
namespace {

/// Position of a class: four to an octave, counted from the smallest.
std::size_t class_index(std::uint64_t class_bytes) {
  const auto octave = static_cast<std::size_t>(std::bit_width(class_bytes) - 1);
  const std::uint64_t quarter = class_bytes >> (octave - 2);
  return (octave - 12) * 4 + static_cast<std::size_t>(quarter & 3);
}

Error too_large(std::uint64_t bytes, std::uint64_t limit) {
  return Error(ErrorKind::out_of_memory, "out-of-memory",
               "a block of " + std::to_string(bytes) +
                   " bytes is asked for; the device has at most " + std::to_string(limit) +
                   " for one",
               "split the data, or choose a device with more memory");
}

}  // namespace

std::uint64_t size_class(std::uint64_t bytes) {
  if (bytes <= kSmallestBlock) return kSmallestBlock;
  const auto octave = std::bit_width(bytes - 1) - 1;
  const std::uint64_t quarter = std::uint64_t{1} << (octave - 2);
  return align_to(bytes, quarter);
}

Pool::Pool(Driver& driver, std::uint64_t budget, std::function<void(std::uint64_t)> forget)
    : driver_(driver), budget_(budget), forget_(std::move(forget)) {}

Pool::~Pool() {
  trim(0);
}

Pool::Shelf& Pool::shelf(BlockUse use, std::uint64_t bytes) {
  return shelves_[static_cast<std::size_t>(use)][class_index(bytes)];
}

/// The latest idle block that is ready: an upload must have its host view back.
bool Pool::take(Shelf& shelf, PooledBlock& out) {
  for (std::size_t i = shelf.size(); i-- > 0;) {
    if (is_upload(shelf[i].use) && shelf[i].block->data() == nullptr) continue;
    out = std::move(shelf[i]);
    shelf.erase(shelf.begin() + static_cast<std::ptrdiff_t>(i));
    return true;
  }
  return false;
}

std::uint64_t Pool::largest_block() const {
  return driver_.info().limits.buffer_size / 4 * 4;  // devices copy whole words
}

std::uint64_t Pool::block_bytes(std::uint64_t bytes) const {
  const std::uint64_t limit = largest_block();
  return bytes > limit ? bytes : std::min(size_class(bytes), limit);
}

Result<PooledBlock> Pool::acquire(BlockUse use, std::uint64_t bytes) {
  if (bytes > largest_block()) return too_large(bytes, driver_.info().limits.buffer_size);
  PooledBlock found;
  Shelf& idle = shelf(use, size_class(bytes));
  bool taken = take(idle, found);
  if (!taken && !idle.empty()) {
    driver_.poll();  // one may have its view by now
    taken = take(idle, found);
  }
  if (taken) {
    ++stats_.hits;
    stats_.idle_bytes -= found.block->size();
    stats_.lent_bytes += found.block->size();
    found.fresh = false;
    return found;
  }
  return allocate(use, block_bytes(bytes));
}

Result<PooledBlock> Pool::allocate(BlockUse use, std::uint64_t bytes) {
  ++stats_.misses;
  auto block = driver_.allocate(use, bytes);
  if (!block && block.error().kind() == ErrorKind::out_of_memory && stats_.idle_bytes != 0) {
    trim(0);
    block = driver_.allocate(use, bytes);
  }
  if (!block) return std::move(block).error();
  stats_.lent_bytes += (*block)->size();
  return PooledBlock{*std::move(block), use, true, 0};
}

void Pool::discard(PooledBlock block) {
  stats_.lent_bytes -= block.block->size();
  forget_(block.block->serial());
}

void Pool::release(PooledBlock block) {
  if (!block) return;
  if (block.block->mapping.is(Signal::State::failed)) return discard(std::move(block));
  const std::uint64_t size = block.block->size();
  stats_.lent_bytes -= size;
  stats_.idle_bytes += size;
  block.last_used = ++clock_;
  shelf(block.use, size_class(size)).push_back(std::move(block));
  trim(budget_);
}

void Pool::trim(std::uint64_t bytes) {
  while (stats_.idle_bytes > bytes)
    if (!drop_oldest()) return;
}

bool Pool::drop_oldest() {
  Shelf* oldest = nullptr;
  for (auto& of_use : shelves_)
    for (Shelf& shelf : of_use)
      if (!shelf.empty() &&
          (oldest == nullptr || shelf.front().last_used < oldest->front().last_used))
        oldest = &shelf;
  if (oldest == nullptr) return false;
  stats_.idle_bytes -= oldest->front().block->size();
  ++stats_.evictions;
  forget_(oldest->front().block->serial());
  oldest->erase(oldest->begin());
  return true;
}

}  // namespace vyre
