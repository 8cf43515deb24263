// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "vyre/device.h"

/// The work that `vyre bench` measures, by the library and by its baselines.
///
/// `make` sets everything up: memory, kernels, and whatever else stays from run to run.  A `Run`
/// does the work once and waits for it.
namespace vyre::bench {

using Run = std::function<Status()>;

enum class Work : unsigned char {
  tiny,        ///< a launch over 64 words that stay on the device
  round_trip,  ///< two inputs of 4 KiB up, their sums down
  chain,       ///< 64 launches, each of which needs what the one before wrote
  up,          ///< a large input from pageable memory, and a small kernel that reads of it
  down,        ///< a large output of a kernel, to where the host can read it
  down_copy,   ///< the same, and into pageable memory
  open,        ///< a device, opened and closed
  open_first,  ///< the same, with a first round trip
};

inline constexpr std::size_t kTinyWords = 64;
inline constexpr std::size_t kRoundTripWords = 1024;
inline constexpr std::size_t kChain = 64;

// The kernels; every candidate runs the same ones.
extern const char* const kIncrement;  ///< c[i] = c[i] + 1
extern const char* const kAdd;        ///< c[i] = a[i] + b[i]
extern const char* const kEnds;       ///< y[0] = x[0] + x[last]
extern const char* const kFill;       ///< y[i] = vec4(i)

/// A reference implementation: the same work without the library.
class Baseline {
 public:
  virtual ~Baseline() = default;
  /// `bytes`: of `up`, `down` and `down_copy`.  Fails with `unsupported` where there is no such
  /// thing.
  virtual Result<Run> make(Work work, std::size_t bytes) = 0;
};

/// Plain C++ on one thread.
std::unique_ptr<Baseline> host_baseline();
/// The bare WebGPU API, on the same adapter.
Result<std::unique_ptr<Baseline>> webgpu_baseline(const DeviceInfo& device);
/// Raw Vulkan on the device of this name, recorded once: launches, and round trips with copies both
/// ways.
Result<std::unique_ptr<Baseline>> vulkan_baseline(const DeviceInfo& device);

/// What a device is compared with; null where there is nothing.
struct Baselines {
  std::unique_ptr<Baseline> bare;   ///< the bare WebGPU API, or plain C++
  std::unique_ptr<Baseline> floor;  ///< raw Vulkan
};
Result<Baselines> baselines_for(const DeviceInfo& device);

}  // namespace vyre::bench
