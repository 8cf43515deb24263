// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

/// How a caller waits for a device: it spins for about the length of a short dispatch, since a
/// blocking wait of a driver costs more than spinning does, then sleeps ever longer: an eighth of
/// what it has waited, so that no result is found later than that.
namespace vyre {

/// `time` after `start`, or the end of time.
inline std::chrono::steady_clock::time_point later(std::chrono::steady_clock::time_point start,
                                                   std::chrono::nanoseconds time) {
  constexpr auto kEnd = std::chrono::steady_clock::time_point::max();
  return time > kEnd - start ? kEnd : start + time;
}

class Backoff {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Backoff(std::chrono::nanoseconds spin) : spin_(spin) {}

  /// How long to sleep after so long a wait.
  static std::chrono::nanoseconds sleep_after(std::chrono::nanoseconds waited) {
    return std::clamp(waited / 8, kShortest, kLongest);
  }

  /// True until the first sleep.
  [[nodiscard]] bool spins() const { return !slept_; }
  /// Between two polls; false, at once, if `deadline` has passed.
  bool pause(Clock::time_point deadline) {
    const auto now = Clock::now();
    if (now >= deadline) return false;
    if (!started_) start_ = now;  // those that need not wait never ask the clock
    started_ = true;
    const auto waited = now - start_;
    if (waited < spin_) return true;
    slept_ = true;
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(sleep_after(waited), deadline - now));
    return true;
  }

 private:
  static constexpr std::chrono::nanoseconds kShortest = std::chrono::microseconds(20);
  static constexpr std::chrono::nanoseconds kLongest = std::chrono::milliseconds(1);

  std::chrono::nanoseconds spin_;
  Clock::time_point start_ = {};  ///< of the first pause
  bool started_ = false;
  bool slept_ = false;
};

}  // namespace vyre
