// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/device.h"

#include "lower/lower.h"
#include "runtime/plan.h"

/// The contract of a backend: a folder that lists devices, opens one, compiles lowered programs
/// and carries out planned dispatches.  The front (`backend/device.cpp`) validates, lowers and
/// plans; a backend trusts its arguments and reports only what the world refuses.
namespace vyre {

/// A program compiled for one device.  Outlives no device.
class Kernel {
 public:
  virtual ~Kernel() = default;
};

/// One planned dispatch.  Everything is a view that lives for the call.
struct Work {
  const Lowered& lowered;
  const Plan& plan;
  const DispatchOptions& options;
  std::string_view label;
  std::chrono::steady_clock::time_point deadline;
};

/// The first trap of a dispatch; `count` 0: none.
struct TrapReport {
  std::uint64_t count = 0;
  std::uint32_t tag = 0;
  std::uint32_t value = 0;
  std::uint64_t invocation = 0;
};

/// What a dispatch gave: for each binding that comes back, in order, the bytes of its window.
struct Finished {
  std::vector<std::span<const std::byte>> outputs;
  std::shared_ptr<const void> owner;  ///< of the memory behind `outputs`
  TrapReport trap;
  Timing timing;
};

/// An opened device.  All members may be called from any thread.
class BackendDevice {
 public:
  virtual ~BackendDevice() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  /// What lowering must do for this device.
  [[nodiscard]] virtual Target target() const = 0;
  virtual Result<std::unique_ptr<Kernel>> compile(const Lowered& lowered,
                                                  std::string_view label) = 0;
  /// Runs to the end or to the deadline (`timeout`); a late device stays usable.
  /// Every output byte that the program does not write is zero, or what the host supplied.
  virtual Result<Finished> run(Kernel& kernel, const Work& work) = 0;
};

/// A row of the registry.
struct Backend {
  std::string_view name;
  /// The devices that are here; if none, one entry that says why.
  std::vector<DeviceEntry> (*list)();
  /// Opens device `number` of `list`.
  Result<std::unique_ptr<BackendDevice>> (*open)(std::uint32_t number);
};

/// All backends, in the order of `src/backend/CMakeLists.txt`.  Each folder <name>/ defines
/// `const Backend& backend()` in namespace vyre::<name>.
std::span<const Backend* const> backends();

}  // namespace vyre
