// SPDX-License-Identifier: MIT OR Apache-2.0
#include "memory/failing_new.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <new>

namespace vyre::test {
namespace {

std::atomic<std::int64_t> g_failing = -1;  ///< the number of the allocation; -1: none
std::atomic<bool> g_stays = false;
std::atomic<std::int64_t> g_seen = 0;
std::atomic<bool> g_hit = false;
std::atomic<bool> g_owns_threads = false;
thread_local bool t_ours = false;
thread_local int t_foreign = 0;

bool is_ours() {
  return t_foreign == 0 && (t_ours || g_owns_threads.load(std::memory_order_relaxed));
}

bool lacks_memory() {
  const std::int64_t failing = g_failing.load();
  if (failing < 0) return false;
  const std::int64_t number = g_seen.fetch_add(1);
  const bool fails = g_stays ? number >= failing : number == failing;
  if (fails) g_hit = true;
  return fails;
}

/// The addresses of our live allocations.  They stand beside the memory, not in front of it:
/// libraries of others give back by `delete` what they have of `malloc`, and the reverse.
class Addresses {
 public:
  void insert(void* memory) {
    const std::lock_guard lock(mutex_);
    std::size_t at = place_of(memory);
    while (slots_[at] != nullptr)
      at = (at + 1) % kSlots;
    slots_[at] = memory;
    if (++count_ > kSlots / 2) std::abort();
  }
  void erase(void* memory) {
    const std::lock_guard lock(mutex_);
    std::size_t hole = place_of(memory);
    while (slots_[hole] != memory) {
      if (slots_[hole] == nullptr) return;
      hole = (hole + 1) % kSlots;
    }
    --count_;
    // What lies behind the hole moves up, unless that is in front of its own place.
    for (std::size_t at = (hole + 1) % kSlots; slots_[at] != nullptr; at = (at + 1) % kSlots) {
      const std::size_t home = place_of(slots_[at]);
      if ((at - home) % kSlots < (at - hole) % kSlots) continue;
      slots_[hole] = slots_[at];
      hole = at;
    }
    slots_[hole] = nullptr;
  }
  std::int64_t count() {
    const std::lock_guard lock(mutex_);
    return static_cast<std::int64_t>(count_);
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 20;
  static std::size_t place_of(const void* memory) {
    return (reinterpret_cast<std::uintptr_t>(memory) >> 4) * 0x9e3779b97f4a7c15u >> 44;
  }

  std::mutex mutex_;
  std::array<void*, kSlots> slots_ = {};
  std::size_t count_ = 0;
};
constinit Addresses g_addresses;

void* allocate(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) noexcept {
  const bool ours = is_ours();
  if (ours && lacks_memory()) return nullptr;
  if (size > ~std::size_t{0} - 2 * alignment) return nullptr;
  const std::size_t whole =
      (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* const memory = std::aligned_alloc(alignment, whole);
  if (memory != nullptr && ours) g_addresses.insert(memory);
  return memory;
}

void* must(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_at(void* memory) noexcept {
  if (memory == nullptr) return;
  g_addresses.erase(memory);
  std::free(memory);
}

}  // namespace

NoMemory::NoMemory(std::int64_t k, Lack lack) {
  g_seen = 0;
  g_hit = false;
  g_stays = lack == Lack::from_then_on;
  g_failing = k;
}
NoMemory::~NoMemory() {
  g_failing = -1;
}
bool NoMemory::hit() const {
  return g_hit;
}

Foreign::Foreign() {
  ++t_foreign;
}
Foreign::~Foreign() {
  --t_foreign;
}

void own_other_threads(bool own) {
  t_ours = true;
  g_owns_threads = own;
}

std::int64_t seen_allocations() {
  return g_seen;
}

std::int64_t live_allocations() {
  return g_addresses.count();
}

}  // namespace vyre::test

using vyre::test::allocate;
using vyre::test::free_at;
using vyre::test::must;

// NOLINTBEGIN(misc-new-delete-overloads): all that the standard has
void* operator new(std::size_t size) {
  return must(allocate(size));
}
void* operator new[](std::size_t size) {
  return must(allocate(size));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return must(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return must(allocate(size, static_cast<std::size_t>(alignment)));
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  free_at(memory);
}
void operator delete[](void* memory) noexcept {
  free_at(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  free_at(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  free_at(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  free_at(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  free_at(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  free_at(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  free_at(memory);
}
// NOLINTEND(misc-new-delete-overloads)
