// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

/// How a caller waits for a device: it spins for about the length of a short dispatch, since a
/// blocking wait of a driver costs more than spinning does, then sleeps ever longer.
namespace vyre {

class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Backoff(std::chrono::nanoseconds spin) : spin_end_(Clock::now() + spin) {}

  /// Between two polls; false, at once, if `deadline` has passed.
  bool pause(Clock::time_point deadline) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    if (now < spin_end_) return true;
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(sleep_, deadline - now));
    sleep_ = std::min<std::chrono::nanoseconds>(sleep_ * 2, kLongest);
    return true;
  }

 private:
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(20);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(1);

  Clock::time_point spin_end_;
  std::chrono::nanoseconds sleep_ = kShortest;
};

}  // namespace vyre
