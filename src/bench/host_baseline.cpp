// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <cstring>
#include <vector>

#include "bench/work.h"

// The work in plain C++ on one thread: what a device that is the CPU is measured against.
namespace vyre::bench {
namespace {

/// Keeps the compiler from leaving out stores that nobody reads.
void keep(const void* memory) {
  asm volatile("" : : "r"(memory) : "memory");
}

template <typename T>
std::shared_ptr<std::vector<T>> numbers(std::size_t count) {
  return std::make_shared<std::vector<T>>(count, T{1});
}

void increment(std::vector<std::uint32_t>& words) {
  for (std::uint32_t& word : words)
    ++word;
  keep(words.data());
}

Run increments(std::size_t times) {
  return [times, words = numbers<std::uint32_t>(kTinyWords)]() -> Status {
    for (std::size_t i = 0; i < times; ++i)
      increment(*words);
    return Ok{};
  };
}

Run sums() {
  return [a = numbers<float>(kRoundTripWords), b = numbers<float>(kRoundTripWords),
          c = numbers<float>(kRoundTripWords)]() -> Status {
    for (std::size_t i = 0; i < kRoundTripWords; ++i)
      (*c)[i] = (*a)[i] + (*b)[i];
    keep(c->data());
    return Ok{};
  };
}

Run copy(std::size_t bytes) {
  return [from = numbers<char>(bytes), to = numbers<char>(bytes)]() -> Status {
    std::memcpy(to->data(), from->data(), to->size());
    keep(to->data());
    return Ok{};
  };
}

Run fill(std::size_t bytes, bool copied) {
  return [copied, made = numbers<std::uint32_t>(bytes / 4),
          to = numbers<char>(copied ? bytes : 0)]() -> Status {
    for (std::size_t i = 0; i < made->size(); ++i)
      (*made)[i] = static_cast<std::uint32_t>(i / 4);
    keep(made->data());
    if (copied) std::memcpy(to->data(), made->data(), to->size());
    keep(to->data());
    return Ok{};
  };
}

class Host final : public Baseline {
 public:
  Result<Run> make(Work work, std::size_t bytes) override {
    switch (work) {
      case Work::tiny: return increments(1);
      case Work::round_trip: return sums();
      case Work::chain: return increments(kChain);
      case Work::up: return copy(bytes);
      case Work::down: return fill(bytes, false);
      case Work::down_copy: return fill(bytes, true);
      case Work::open:
      case Work::open_first: break;
    }
    return Error(ErrorKind::unsupported, "no-baseline", "plain C++ opens no device");
  }
};

}  // namespace

std::unique_ptr<Baseline> host_baseline() {
  return std::make_unique<Host>();
}

}  // namespace vyre::bench
