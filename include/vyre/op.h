// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "vyre/type.h"

/// The catalogue of pure operators on scalars.  Rows are in `ops.def`.
namespace vyre {

enum class Op : std::uint8_t {
#define OP(name, arity, ...) name,
#include "vyre/ops.def"
};

/// Operand types → result type.  T stands for one type, the same in every place.
enum class Typing : std::uint8_t {
  arith,       ///< T… → T, numeric
  integer,     ///< T… → T, integer
  integer32,   ///< T… → T, u32 or i32
  floating,    ///< T… → T, float
  logical,     ///< boolean… → boolean
  equality,    ///< T, T → boolean, any value type
  ordering,    ///< T, T → boolean, numeric
  select,      ///< boolean, T, T → T, any value type
  shift,       ///< T, u32 → T, integer
  extract,     ///< T, u32, u32 → T, u32 or i32
  scale,       ///< f32, i32 → f32
  float_test,  ///< T → boolean, float
  convert,     ///< any value type → any value type (the expression's own)
  bitcast,     ///< T → U of the same width, not boolean (the expression's own)
  from_half,   ///< u32 → f32
  to_half,     ///< f32 → u32
};

enum class Tier : std::uint8_t { core, composite };

/// How a device's f32 result is judged against `eval` of the actual operands.  Integer, boolean
/// and bit results are always exact.  Bounds: WGSL specification, "Floating Point Evaluation".
enum class Accuracy : std::uint8_t {
  exact,
  contractible,  ///< exact where the device reports `float_exact` (or under strict floats)
  fused,         ///< exact on cpu and cuda; elsewhere x * y + z with either rounding
  ulp_2,
  ulp_2_5,
  ulp_4096,
  absolute_2_11,  ///< 2^-11 absolute in [-pi, pi]
  exponential,    ///< 3 + 2 |x| ulp
  logarithm,      ///< 3 ulp; 2^-21 absolute in [0.5, 2]
  power,          ///< as exp2(y * log2(x))
  inverse_trig,   ///< max of 4096 ulp and 6.81e-5 absolute
  ldexp,          ///< exact for normal results
  derived,        ///< from the formula in the row's summary or WGSL's definition
};

struct OpInfo {
  std::string_view name;
  std::uint8_t arity;
  Typing typing;
  Tier tier = Tier::core;
  Accuracy accuracy = Accuracy::exact;
  std::string_view summary;
};
const OpInfo& info(Op op);
std::string_view to_string(Op op);
std::span<const OpInfo> all_ops();

/// The result type of `op` on operands of these types, or nothing if they are not allowed.
/// `convert` and `bitcast` take their result type from `wanted`, the others ignore it.
std::optional<ScalarType> result_type(Op op,
                                      std::span<const ScalarType> operands,
                                      ScalarType wanted = ScalarType::u32);

/// Atomic read-modify-write operations on u32 and i32; each yields the old value (`load` too).
enum class AtomicOp : std::uint8_t {
  add,
  sub,
  bit_and,
  bit_or,
  bit_xor,
  min,
  max,
  exchange,
  compare_exchange,
  load,
  store
};
std::string_view to_string(AtomicOp op);

enum class SubgroupOp : std::uint8_t {
  ballot,
  broadcast,
  shuffle,
  shuffle_xor,
  shuffle_up,
  shuffle_down,
  add,
  mul,
  min,
  max,
  bit_and,
  bit_or,
  bit_xor,
  inclusive_add,
  inclusive_mul,
  exclusive_add,
  exclusive_mul,
  elect,
  all,
  any
};
std::string_view to_string(SubgroupOp op);

}  // namespace vyre
