// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vyre/op.h"

/// The built-in functions of WGSL as a table; its rows are in `builtins.def`.
namespace vyre::wgsl {

/// What the scalar of a family's type may be.
enum class Domain : std::uint8_t {
  none,
  numeric,
  floating,
  integer,
  word,  ///< an integer of 32 bits
  signed_,
  boolean,
  scalar,
  f32,
  i32,
  u32,
};

/// How wide a family's type may be.
enum class Shape : std::uint8_t { any, vector, two, three, four };

enum class How : std::uint8_t {
  elementwise,
  expanded,
  matrix,
  statement,
  texture,
  subgroup,
  derivative,
  unsupported
};

/// The second argument of a subgroup function.
enum class LaneArgument : std::uint8_t { none, lane, index, word };

/// Functions that become several operators (expand.h), or a statement.
enum class Function : std::uint8_t {
  all,
  any,
  cross,
  determinant,
  distance,
  dot,
  dot4I8Packed,
  dot4U8Packed,
  faceForward,
  frexp,
  insertBits,
  length,
  modf,
  normalize,
  pack2x16float,
  pack2x16snorm,
  pack2x16unorm,
  pack4x8snorm,
  pack4x8unorm,
  pack4xI8,
  pack4xI8Clamp,
  pack4xU8,
  pack4xU8Clamp,
  quantizeToF16,
  reflect,
  refract,
  select,
  transpose,
  unpack2x16float,
  unpack2x16snorm,
  unpack2x16unorm,
  unpack4x8snorm,
  unpack4x8unorm,
  unpack4xI8,
  unpack4xU8,
  arrayLength,
  atomicAdd,
  atomicAnd,
  atomicCompareExchangeWeak,
  atomicExchange,
  atomicLoad,
  atomicMax,
  atomicMin,
  atomicOr,
  atomicStore,
  atomicSub,
  atomicXor,
  storageBarrier,
  textureBarrier,
  workgroupBarrier,
  workgroupUniformLoad,
  textureDimensions,
  textureLoad,
  textureNumLevels,
  textureStore,
  quadBroadcast,
  quadSwapDiagonal,
  quadSwapX,
  quadSwapY,
  subgroupAdd,
  subgroupAll,
  subgroupAnd,
  subgroupAny,
  subgroupBallot,
  subgroupBroadcast,
  subgroupBroadcastFirst,
  subgroupElect,
  subgroupExclusiveAdd,
  subgroupExclusiveMul,
  subgroupInclusiveAdd,
  subgroupInclusiveMul,
  subgroupMax,
  subgroupMin,
  subgroupMul,
  subgroupOr,
  subgroupShuffle,
  subgroupShuffleDown,
  subgroupShuffleUp,
  subgroupShuffleXor,
  subgroupXor,
};

struct Builtin {
  std::string_view name;
  How how = How::unsupported;
  std::string_view params = {};
  char result = 'T';
  Domain domain = Domain::none;
  Shape shape = Shape::any;
  Op op = Op::add;                             ///< elementwise
  Function function = Function::select;        ///< expanded, statement, texture, subgroup
  LaneArgument argument = LaneArgument::none;  ///< subgroup
  SubgroupOp subgroup = SubgroupOp::elect;     ///< subgroup
};

std::span<const Builtin> all_builtins();

/// "(T, T, T) with T a floating point scalar or vector", for messages.
std::string describe(const Builtin& builtin);

}  // namespace vyre::wgsl
