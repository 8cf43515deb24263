// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "runtime/driver.h"

namespace vyre::null {

/// A driver that carries out copies and clears and runs no kernel.
std::unique_ptr<Driver> make_driver();

}  // namespace vyre::null
