// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

/// IEEE 754 binary16 ("f16") as its 16 bits, converted exactly on every host.
namespace vyre {

/// The value of `half`, exactly: every f16 is an f32.  NaNs keep sign and payload, and come out
/// quiet.
float half_to_float(std::uint16_t half);

/// The f16 nearest to `value`, ties to even; beyond the largest finite value, infinity.  NaNs keep
/// their sign and the upper bits of their payload, and come out quiet.
std::uint16_t float_to_half(float value);

}  // namespace vyre
