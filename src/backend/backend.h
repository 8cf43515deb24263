// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/driver.h"

/// The contract of a backend: a folder that says which devices are here and opens a driver for
/// one (`runtime/driver.h`).  Everything else is shared: planning, the recorder, the pool, waiting.
namespace vyre {

/// A row of the registry.  Each folder <name>/ defines `const Backend& backend()` in namespace
/// vyre::<name>.
struct Backend {
  std::string_view name;
  /// The devices that are here; if none, one entry that says why.  Opens nothing.
  std::vector<DeviceEntry> (*list)();
  /// A driver for device `number` of `list`.
  Result<std::unique_ptr<Driver>> (*open)(std::uint32_t number);
  /// Listed and taken by "auto"; a hidden backend is opened by name only.
  bool hidden = false;
};

/// All backends, in the order of `src/backend/CMakeLists.txt`.
std::span<const Backend* const> backends();

}  // namespace vyre
