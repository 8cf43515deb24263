// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "vyre/op.h"

#include "wgsl/types.h"

/// Operators on single scalars at compile time, the abstract ones included.
///
/// Concrete scalars are evaluated by the IR's own `eval`, so a constant and a running kernel
/// cannot disagree.  Abstract integers are 64 bits wide and abstract floats are doubles; all
/// give the same bits on every host.  What WGSL calls a shader-creation error comes back as a
/// `ScalarFault`.  Pure.
namespace vyre::wgsl {

/// The bits of a scalar: two's complement for AbstractInt, binary64 for AbstractFloat, the pattern
/// zero-extended for the others; a boolean is 0 or 1.
using Cell = std::uint64_t;

struct Scalar {
  TypeId type = kFault;
  Cell bits = 0;
};

Scalar abstract_int(std::int64_t value);
Scalar abstract_float(double value);
std::int64_t as_int(Scalar scalar);  ///< of an integer or bool; of a u64 its bits
double as_double(Scalar scalar);     ///< of any numeric scalar
std::string to_text(Scalar scalar);  ///< as a person writes it

enum class ScalarFault : std::uint8_t {
  none,
  division_by_zero,
  overflow,           ///< of an abstract integer, MIN / -1, or a shift that drops bits
  not_finite,         ///< an infinity or a NaN
  shift_too_far,      ///< by the width of the type or more
  not_representable,  ///< a value that the wanted type does not have
};

/// `op` on operands that are already of the types it wants.  On a fault the result is a zero.
Scalar evaluate(Op op, std::span<const Scalar> operands, ScalarFault& fault);

/// The automatic conversion of a value to a type (section 6.1.2).
/// REQUIRES: `Types::converts(scalar.type, to)`.
Scalar convert(Scalar scalar, TypeId to, ScalarFault& fault);
/// The conversion that `i32(e)`, `f32(e)`, … spell.  REQUIRES: both are scalars.
Scalar convert_explicitly(Scalar scalar, TypeId to, ScalarFault& fault);
Scalar bitcast(Scalar scalar, TypeId to, ScalarFault& fault);

}  // namespace vyre::wgsl
