// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/pool.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/guarded.h"

namespace vyre {
namespace {

constexpr std::uint32_t log2_of(std::uint32_t classes) {
  return static_cast<std::uint32_t>(std::countr_zero(classes));
}

constexpr std::uint32_t kFirstOctave = std::bit_width(kSmallestBlock) - 1;

// Nothing here divides: it is done for each block of each dispatch.

/// Position of a class, counted from the smallest.
std::size_t class_index(std::uint64_t class_bytes, std::uint32_t classes) {
  const auto octave = static_cast<std::uint32_t>(std::bit_width(class_bytes) - 1);
  const auto within = static_cast<std::uint32_t>(class_bytes >> (octave - log2_of(classes)));
  return std::size_t{octave - kFirstOctave} * classes + (within & (classes - 1));
}

Error too_large(std::uint64_t bytes, std::uint64_t limit) {
  return Error(ErrorKind::out_of_memory, "out-of-memory",
               "a block of " + std::to_string(bytes) +
                   " bytes is asked for; the device has at most " + std::to_string(limit) +
                   " for one",
               "split the data, or choose a device with more memory");
}

}  // namespace

std::uint64_t size_class(std::uint64_t bytes, std::uint32_t classes) {
  if (bytes <= kSmallestBlock) return kSmallestBlock;
  const auto octave = static_cast<std::uint32_t>(std::bit_width(bytes - 1) - 1);
  const std::uint64_t step = std::uint64_t{1} << (octave - log2_of(classes));
  return (bytes + step - 1) & ~(step - 1);
}

Status check_policy(const PoolPolicy& policy) {
  if (std::has_single_bit(policy.classes) && policy.classes <= 16) return Ok{};
  return Error(ErrorKind::invalid_argument, "pool-classes",
               std::to_string(policy.classes) + " size classes an octave are asked for",
               "PoolPolicy::classes is 1, 2, 4, 8 or 16");
}

Pool::Pool(Driver& driver, const PoolPolicy& policy, std::function<void(std::uint64_t)> forget)
    : driver_(driver), policy_(policy), forget_(std::move(forget)) {
  for (auto& of_use : shelves_)
    of_use.resize(std::size_t{64 - kFirstOctave} * policy_.classes);
}

Pool::~Pool() {
  trim(0);
}

Pool::Shelf& Pool::shelf(BlockUse use, std::uint64_t bytes) {
  const std::uint64_t class_bytes = size_class(bytes, policy_.classes);
  return shelves_[static_cast<std::size_t>(use)][class_index(class_bytes, policy_.classes)];
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
  return bytes > limit ? bytes : std::min(size_class(bytes, policy_.classes), limit);
}

Result<PooledBlock> Pool::acquire(BlockUse use, std::uint64_t bytes) {
  if (bytes > largest_block()) return too_large(bytes, driver_.info().limits.buffer_size);
  PooledBlock found;
  Shelf& idle = shelf(use, bytes);
  bool taken = take(idle, found);
  if (!taken && !idle.empty()) {
    driver_.poll();  // one may have its view by now
    taken = take(idle, found);
  }
  if (!taken) {
    VYRE_TRY(found, allocate(use, block_bytes(bytes)));
    return lend(std::move(found), bytes);
  }
  ++stats_.hits;
  stats_.idle_bytes -= found.block->size();
  found.fresh = false;
  return lend(std::move(found), bytes);
}

PooledBlock Pool::lend(PooledBlock block, std::uint64_t asked) {
  block.asked = asked;
  stats_.lent_bytes += block.block->size();
  stats_.asked_bytes += asked;
  return block;
}

void Pool::take_back(PooledBlock& block) {
  stats_.lent_bytes -= block.block->size();
  stats_.asked_bytes -= block.asked;
}

Result<PooledBlock> Pool::allocate(BlockUse use, std::uint64_t bytes) {
  ++stats_.misses;
  auto block = driver_.allocate(use, bytes);
  if (!block && block.error().kind() == ErrorKind::out_of_memory && stats_.idle_bytes != 0) {
    trim(0);
    block = driver_.allocate(use, bytes);
  }
  if (!block) return std::move(block).error();
  return PooledBlock{.block = *std::move(block), .use = use, .fresh = true};
}

void Pool::discard(PooledBlock block) {
  take_back(block);
  forget_(block.block->serial());
}

/// Room for one more; false where the host has no memory for it.
bool Pool::has_room(Shelf& shelf) {
  return guarded(
      [&] {
        if (shelf.size() == shelf.capacity()) shelf.reserve(2 * shelf.size() + 1);
        return true;
      },
      [] { return false; });
}

void Pool::release(PooledBlock block) {
  if (!block) return;
  Shelf& idle = shelf(block.use, block.block->size());
  if (block.block->mapping.is(Signal::State::failed) || !has_room(idle))
    return discard(std::move(block));
  take_back(block);
  stats_.idle_bytes += block.block->size();
  block.last_used = ++clock_;
  idle.push_back(std::move(block));
  trim(policy_.idle_bytes);
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
