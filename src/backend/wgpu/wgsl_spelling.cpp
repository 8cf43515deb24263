// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/wgsl_spelling.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "base/half.h"
#include "ir/eval.h"
#include "wgsl/words.h"

namespace vyre::wgpu {
namespace {

constexpr Spelling kSpellings[] = {
    {Op::neg, Form::prefix, "-"},
    {Op::add, Form::infix, "+", Group::add},
    {Op::sub, Form::infix, "-", Group::add},
    {Op::mul, Form::infix, "*", Group::multiply},
    {Op::div, Form::infix, "/", Group::multiply},
    {Op::rem, Form::infix, "%", Group::multiply},
    {Op::abs, Form::call, "abs"},
    {Op::min, Form::call, "min"},
    {Op::max, Form::call, "max"},
    {Op::bit_not, Form::prefix, "~"},
    {Op::bit_and, Form::infix, "&", Group::bit_and},
    {Op::bit_or, Form::infix, "|", Group::bit_or},
    {Op::bit_xor, Form::infix, "^", Group::bit_xor},
    {Op::shl, Form::infix, "<<", Group::shift},
    {Op::shr, Form::infix, ">>", Group::shift},
    {Op::clz, Form::call, "countLeadingZeros"},
    {Op::ctz, Form::call, "countTrailingZeros"},
    {Op::popcount, Form::call, "countOneBits"},
    {Op::reverse_bits, Form::call, "reverseBits"},
    {Op::logical_not, Form::prefix, "!"},
    // Both sides are pure: the short circuit of && and || would cost a branch.
    {Op::logical_and, Form::infix, "&", Group::bit_and},
    {Op::logical_or, Form::infix, "|", Group::bit_or},
    {Op::eq, Form::infix, "==", Group::compare},
    {Op::ne, Form::infix, "!=", Group::compare},
    {Op::lt, Form::infix, "<", Group::compare},
    {Op::le, Form::infix, "<=", Group::compare},
    {Op::gt, Form::infix, ">", Group::compare},
    {Op::ge, Form::infix, ">=", Group::compare},
    {Op::select, Form::own, "select"},
    {Op::convert, Form::cast},
    {Op::bitcast, Form::bitcast, "bitcast"},
    {Op::fma, Form::call, "fma"},
    {Op::sqrt, Form::call, "sqrt"},
    {Op::inverse_sqrt, Form::call, "inverseSqrt"},
    {Op::floor, Form::call, "floor"},
    {Op::ceil, Form::call, "ceil"},
    {Op::trunc, Form::call, "trunc"},
    {Op::round, Form::call, "round"},
    {Op::exp, Form::call, "exp"},
    {Op::exp2, Form::call, "exp2"},
    {Op::log, Form::call, "log"},
    {Op::log2, Form::call, "log2"},
    {Op::pow, Form::call, "pow"},
    {Op::sin, Form::call, "sin"},
    {Op::cos, Form::call, "cos"},
    {Op::tan, Form::call, "tan"},
    {Op::asin, Form::call, "asin"},
    {Op::acos, Form::call, "acos"},
    {Op::atan, Form::call, "atan"},
    {Op::atan2, Form::call, "atan2"},
    {Op::sinh, Form::call, "sinh"},
    {Op::cosh, Form::call, "cosh"},
    {Op::tanh, Form::call, "tanh"},
    {Op::asinh, Form::call, "asinh"},
    {Op::acosh, Form::call, "acosh"},
    {Op::atanh, Form::call, "atanh"},
};

struct BuiltinWords {
  Builtin builtin;
  std::string_view name;
  std::string_view attribute;
  std::string_view type;
};

constexpr BuiltinWords kBuiltins[] = {
    {Builtin::global_id, "global_id", "global_invocation_id", "vec3<u32>"},
    {Builtin::local_id, "local_id", "local_invocation_id", "vec3<u32>"},
    {Builtin::workgroup_id, "workgroup_id", "workgroup_id", "vec3<u32>"},
    {Builtin::num_workgroups, "num_workgroups", "num_workgroups", "vec3<u32>"},
    {Builtin::local_index, "local_index", "local_invocation_index", "u32"},
    {Builtin::lane, "lane", "subgroup_invocation_id", "u32"},
    {Builtin::subgroup_size, "subgroup_size", "subgroup_size", "u32"},
};

const BuiltinWords& words_of(Builtin builtin) {
  const auto& row = kBuiltins[static_cast<std::size_t>(builtin)];
  VYRE_CHECK(row.builtin == builtin);
  return row;
}

/// The lowest value has no literal of its type: its digits are read before the sign.
Text signed_literal(std::int64_t value,
                    std::int64_t lowest,
                    std::string_view suffix,
                    std::string lowest_text) {
  if (value == lowest) return {std::move(lowest_text)};
  return {std::to_string(value) + std::string(suffix), value < 0 ? Group::unary : Group::primary};
}

std::string hex(std::uint64_t bits) {
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, bits, 16).ptr;
  return "0x" + std::string(digits, end);
}

Text float_literal(float value, char suffix) {
  std::string text = shortest(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return {text + suffix, std::signbit(value) ? Group::unary : Group::primary};
}

}  // namespace

const Spelling& wgsl_spelling(Op op) {
  for (const Spelling& row : kSpellings)
    if (row.op == op) return row;
  VYRE_UNREACHABLE();  // lowering expands the composite operators
}

std::string_view wgsl_type(ScalarType type) {
  switch (type) {
    case ScalarType::boolean: return "bool";
    case ScalarType::u32: return "u32";
    case ScalarType::i32: return "i32";
    case ScalarType::f32: return "f32";
    case ScalarType::f16: return "f16";
    case ScalarType::u64: return "u64";
    case ScalarType::i64: return "i64";
    case ScalarType::u8:
    case ScalarType::i8:
    case ScalarType::u16:
    case ScalarType::i16:
    case ScalarType::half: break;
  }
  VYRE_UNREACHABLE();  // lowering packs narrow elements in words
}

Text wgsl_literal(ScalarType type, std::uint64_t bits) {
  const auto word = static_cast<std::uint32_t>(bits);
  if (!is_finite(type, bits))
    return {"bitcast<" + std::string(wgsl_type(type)) + ">(" + hex(bits) + "u)"};
  switch (type) {
    case ScalarType::boolean: return {bits != 0 ? "true" : "false"};
    case ScalarType::u32: return {std::to_string(word) + "u"};
    case ScalarType::i32:
      return signed_literal(static_cast<std::int32_t>(word), INT32_MIN, "i", "i32(-2147483648)");
    case ScalarType::f32: return float_literal(std::bit_cast<float>(word), 'f');
    case ScalarType::f16:
      return float_literal(half_to_float(static_cast<std::uint16_t>(word)), 'h');
    case ScalarType::u64: return {std::to_string(bits) + "lu"};
    case ScalarType::i64:
      return signed_literal(static_cast<std::int64_t>(bits), INT64_MIN, "li",
                            "(~9223372036854775807li)");
    case ScalarType::u8:
    case ScalarType::i8:
    case ScalarType::u16:
    case ScalarType::i16:
    case ScalarType::half: break;
  }
  VYRE_UNREACHABLE();
}

std::span<const std::string_view> wgsl_taken_words() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = wgsl::predeclared_words();
    const auto keywords = wgsl::keywords();
    const auto reserved = wgsl::reserved_words();
    all.insert(all.end(), keywords.begin(), keywords.end());
    all.insert(all.end(), reserved.begin(), reserved.end());
    for (const BuiltinWords& row : kBuiltins)
      all.push_back(row.name);
    all.push_back("launch");
    return all;
  }();
  return words;
}

std::string_view wgsl_builtin_name(Builtin builtin) {
  return words_of(builtin).name;
}
std::string_view wgsl_builtin_attribute(Builtin builtin) {
  return words_of(builtin).attribute;
}
std::string_view wgsl_builtin_type(Builtin builtin) {
  return words_of(builtin).type;
}

std::string_view wgsl_atomic(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return "atomicAdd";
    case AtomicOp::sub: return "atomicSub";
    case AtomicOp::bit_and: return "atomicAnd";
    case AtomicOp::bit_or: return "atomicOr";
    case AtomicOp::bit_xor: return "atomicXor";
    case AtomicOp::min: return "atomicMin";
    case AtomicOp::max: return "atomicMax";
    case AtomicOp::exchange: return "atomicExchange";
    case AtomicOp::compare_exchange: return "atomicCompareExchangeWeak";
    case AtomicOp::load: return "atomicLoad";
    case AtomicOp::store: return "atomicStore";
  }
  VYRE_UNREACHABLE();
}

std::string_view wgsl_subgroup(SubgroupOp op) {
  switch (op) {
    case SubgroupOp::ballot: return "subgroupBallot";
    case SubgroupOp::broadcast: return "subgroupBroadcast";
    case SubgroupOp::shuffle: return "subgroupShuffle";
    case SubgroupOp::shuffle_xor: return "subgroupShuffleXor";
    case SubgroupOp::shuffle_up: return "subgroupShuffleUp";
    case SubgroupOp::shuffle_down: return "subgroupShuffleDown";
    case SubgroupOp::add: return "subgroupAdd";
    case SubgroupOp::mul: return "subgroupMul";
    case SubgroupOp::min: return "subgroupMin";
    case SubgroupOp::max: return "subgroupMax";
    case SubgroupOp::bit_and: return "subgroupAnd";
    case SubgroupOp::bit_or: return "subgroupOr";
    case SubgroupOp::bit_xor: return "subgroupXor";
    case SubgroupOp::inclusive_add: return "subgroupInclusiveAdd";
    case SubgroupOp::inclusive_mul: return "subgroupInclusiveMul";
    case SubgroupOp::exclusive_add: return "subgroupExclusiveAdd";
    case SubgroupOp::exclusive_mul: return "subgroupExclusiveMul";
    case SubgroupOp::elect: return "subgroupElect";
    case SubgroupOp::all: return "subgroupAll";
    case SubgroupOp::any: return "subgroupAny";
  }
  VYRE_UNREACHABLE();
}

}  // namespace vyre::wgpu
