// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vyre/program.h"

/// What `encode`, `hash` and `dump` of `vyre/program.h` give, for the library's own use: where the
/// host has no memory these throw (base/guarded.h).
namespace vyre {

std::vector<std::byte> canonical_bytes(const Program& program);
Hash identity(const Program& program);
std::string readable(const Program& program);

}  // namespace vyre
