// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/heap.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

thread_local std::uint64_t t_allocations = 0;

}  // namespace

namespace vyre::bench {

std::uint64_t heap_allocations() {
  return t_allocations;
}

}  // namespace vyre::bench

void* operator new(std::size_t size, const std::nothrow_t& /*unused*/) noexcept {
  ++t_allocations;
  return std::malloc(size == 0 ? 1 : size);
}

void* operator new(std::size_t size) {
  for (;;) {
    if (void* memory = operator new(size, std::nothrow)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
