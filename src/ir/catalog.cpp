// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "vyre/op.h"
#include "vyre/program.h"
#include "vyre/type.h"

#include "base/check.h"

// The tables that types.def and ops.def expand to, and the names of the small enumerations.
namespace vyre {
namespace {

constexpr ScalarInfo kScalars[] = {
#define SCALAR(id, ...) {.name = #id, __VA_ARGS__},
#include "vyre/types.def"
};

constexpr OpInfo kOps[] = {
#define OP(id, n, ...) {.name = #id, .arity = n, __VA_ARGS__},
#include "vyre/ops.def"
};

bool all_same(std::span<const ScalarType> types) {
  return std::all_of(types.begin(), types.end(), [&](ScalarType t) { return t == types[0]; });
}

bool is_numeric(ScalarType type) {
  return type != ScalarType::boolean;
}

std::optional<ScalarType> same(std::span<const ScalarType> types, bool allowed) {
  return allowed && all_same(types) ? std::optional(types[0]) : std::nullopt;
}

std::optional<ScalarType> when(bool allowed, ScalarType type) {
  return allowed ? std::optional(type) : std::nullopt;
}

}  // namespace

const ScalarInfo& info(ScalarType type) {
  return kScalars[static_cast<std::size_t>(type)];
}
std::string_view to_string(ScalarType type) {
  return info(type).name;
}

const OpInfo& info(Op op) {
  return kOps[static_cast<std::size_t>(op)];
}
std::string_view to_string(Op op) {
  return info(op).name;
}
std::span<const OpInfo> all_ops() {
  return kOps;
}

std::optional<Capability> capability_of(ScalarType type) {
  switch (type) {
    case ScalarType::f16: return Capability::f16;
    case ScalarType::u64:
    case ScalarType::i64: return Capability::int64;
    case ScalarType::boolean:
    case ScalarType::u32:
    case ScalarType::i32:
    case ScalarType::f32:
    case ScalarType::u8:
    case ScalarType::i8:
    case ScalarType::u16:
    case ScalarType::i16:
    case ScalarType::half: return std::nullopt;
  }
  VYRE_UNREACHABLE();
}

std::optional<ScalarType> result_type(Op op, std::span<const ScalarType> types, ScalarType wanted) {
  if (types.size() != info(op).arity) return std::nullopt;
  if (!std::all_of(types.begin(), types.end(), is_value_type)) return std::nullopt;
  const ScalarType t = types[0];
  const auto is = [&](std::size_t i, ScalarType type) { return types[i] == type; };
  switch (info(op).typing) {
    case Typing::arith: return same(types, is_numeric(t));
    case Typing::integer: return same(types, is_integer(t));
    case Typing::integer32: return same(types, is_integer(t) && info(t).bytes == 4);
    case Typing::floating: return same(types, is_float(t));
    case Typing::logical: return same(types, t == ScalarType::boolean);
    case Typing::equality: return when(all_same(types), ScalarType::boolean);
    case Typing::ordering: return when(all_same(types) && is_numeric(t), ScalarType::boolean);
    case Typing::select: return when(t == ScalarType::boolean && types[1] == types[2], types[1]);
    case Typing::shift: return when(is_integer(t) && is(1, ScalarType::u32), t);
    case Typing::extract:
      return when(
          is_integer(t) && info(t).bytes == 4 && is(1, ScalarType::u32) && is(2, ScalarType::u32),
          t);
    case Typing::scale: return when(t == ScalarType::f32 && is(1, ScalarType::i32), t);
    case Typing::float_test: return when(is_float(t), ScalarType::boolean);
    case Typing::convert: return when(is_value_type(wanted), wanted);
    case Typing::bitcast:
      return when(is_value_type(wanted) && is_numeric(t) && is_numeric(wanted) &&
                      info(t).bytes == info(wanted).bytes,
                  wanted);
    case Typing::from_half: return when(t == ScalarType::u32, ScalarType::f32);
    case Typing::to_half: return when(t == ScalarType::f32, ScalarType::u32);
  }
  VYRE_UNREACHABLE();
}

std::string_view to_string(Capability capability) {
  switch (capability) {
    case Capability::f16: return "f16";
    case Capability::int64: return "int64";
    case Capability::subgroups: return "subgroups";
  }
  VYRE_UNREACHABLE();
}

std::string_view to_string(AtomicOp op) {
  switch (op) {
    case AtomicOp::add: return "add";
    case AtomicOp::sub: return "sub";
    case AtomicOp::bit_and: return "bit_and";
    case AtomicOp::bit_or: return "bit_or";
    case AtomicOp::bit_xor: return "bit_xor";
    case AtomicOp::min: return "min";
    case AtomicOp::max: return "max";
    case AtomicOp::exchange: return "exchange";
    case AtomicOp::compare_exchange: return "compare_exchange";
    case AtomicOp::load: return "load";
    case AtomicOp::store: return "store";
  }
  VYRE_UNREACHABLE();
}

std::string_view to_string(SubgroupOp op) {
  static constexpr std::string_view kNames[] = {
      "ballot",        "broadcast",     "shuffle", "shuffle_xor",   "shuffle_up",
      "shuffle_down",  "add",           "mul",     "min",           "max",
      "bit_and",       "bit_or",        "bit_xor", "inclusive_add", "inclusive_mul",
      "exclusive_add", "exclusive_mul", "elect",   "all",           "any"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(SubgroupOp::any) + 1);
  return kNames[static_cast<std::size_t>(op)];
}

std::string_view to_string(Builtin builtin) {
  static constexpr std::string_view kNames[] = {"global_id",      "local_id",    "workgroup_id",
                                                "num_workgroups", "local_index", "lane",
                                                "subgroup_size"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Builtin::subgroup_size) + 1);
  return kNames[static_cast<std::size_t>(builtin)];
}

std::string_view to_string(LaunchField field) {
  static constexpr std::string_view kNames[] = {"grid_x", "grid_y", "grid_z", "base_x",
                                                "base_y", "base_z", "count",  "zero"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(LaunchField::zero) + 1);
  return kNames[static_cast<std::size_t>(field)];
}

std::string_view to_string(Space space) {
  static constexpr std::string_view kNames[] = {"storage", "uniform", "constant", "workgroup",
                                                "local"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Space::local) + 1);
  return kNames[static_cast<std::size_t>(space)];
}

std::string_view to_string(Access access) {
  static constexpr std::string_view kNames[] = {"input", "in_out", "output", "scratch"};
  static_assert(std::size(kNames) == static_cast<std::size_t>(Access::scratch) + 1);
  return kNames[static_cast<std::size_t>(access)];
}

}  // namespace vyre
