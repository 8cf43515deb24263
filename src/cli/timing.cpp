// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/timing.h"

#include <cstdio>
#include <utility>

namespace vyre::cli {
namespace {

/// "12.3 ms": three figures, in the unit that suits.
std::string duration_text(std::chrono::nanoseconds duration) {
  const auto count = static_cast<double>(duration.count());
  const auto [value, unit] = count < 1e6   ? std::pair(count / 1e3, "µs")
                             : count < 1e9 ? std::pair(count / 1e6, "ms")
                                           : std::pair(count / 1e9, "s");
  char text[64];
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

}  // namespace

std::vector<Phase> phases(const Timing& timing) {
  return {{"total", timing.total},
          {"compile", timing.compile},
          {"upload", timing.upload},
          {"kernel", timing.kernel},
          {"readback", timing.readback}};
}

std::string to_text(const Timing& timing) {
  std::string text;
  for (const Phase& phase : phases(timing)) {
    if (!phase.duration) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(phase.name) + " " + duration_text(*phase.duration);
  }
  if (timing.step) text += ", device times in steps of " + duration_text(*timing.step);
  return text;
}

}  // namespace vyre::cli
