// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "vyre/device.h"

namespace vyre {

/// What the device lacks of what is asked for, with both numbers; empty if nothing.
std::string lacking(const DeviceInfo& device, const Needs& needs);

}  // namespace vyre
