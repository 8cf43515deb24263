// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <type_traits>

#include "backend/cpu/isa/lanes.h"
#include "backend/cpu/isa/math.h"
#include "backend/cpu/kernels.h"
#include "ir/meaning.h"

/// One loop for each row of ops.def and each operand type, around the row's meaning.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

using U = std::uint32_t;
using I = std::int32_t;
using F = float;

template <typename T>
T unpack(Lane word) {
  if constexpr (std::is_same_v<T, bool>)
    return word != 0;
  else
    return std::bit_cast<T>(word);
}

inline Lane pack(bool value) {
  return value ? ~Lane{0} : Lane{0};
}
template <typename T>
requires(!std::is_same_v<T, bool>) Lane pack(T value) {
  return std::bit_cast<Lane>(value);
}

/// Tells the compiler that loops have no tail.
VYRE_INLINE void whole_steps(std::size_t lanes) {
  if (lanes == 0 || lanes % kLaneStep != 0) __builtin_unreachable();
}

template <typename Row, typename A>
void unary(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = pack(Row::call(unpack<A>(a[i])));
}

template <typename Row, typename A, typename B>
void binary(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = pack(Row::call(unpack<A>(a[i]), unpack<B>(b[i])));
}

template <typename Row, typename A, typename B, typename C>
void ternary(Lane* d, const Lane* a, const Lane* b, const Lane* c, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = pack(Row::call(unpack<A>(a[i]), unpack<B>(b[i]), unpack<C>(c[i])));
}

template <typename Row, typename A, typename R>
void conversion(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  whole_steps(lanes);
#pragma GCC ivdep
  for (std::size_t i = 0; i < lanes; ++i)
    d[i] = pack(Row::call(unpack<A>(a[i]), To<R>{}));
}

template <typename Row, typename T>
constexpr Kernel same() {
  if constexpr (Row::kArity == 1)
    return unary<Row, T>;
  else if constexpr (Row::kArity == 2)
    return binary<Row, T, T>;
  else
    return ternary<Row, T, T, T>;
}

enum Type : std::size_t { kBool, kUnsigned, kSigned, kFloat, kTypes };
using ByType = std::array<Kernel, kTypes>;

template <typename Row>
constexpr ByType kernels_of() {
  constexpr Typing kTyping = Row::kTyping;
  if constexpr (kTyping == Typing::arith || kTyping == Typing::ordering)
    return {nullptr, same<Row, U>(), same<Row, I>(), same<Row, F>()};
  else if constexpr (kTyping == Typing::integer || kTyping == Typing::integer32)
    return {nullptr, same<Row, U>(), same<Row, I>(), nullptr};
  else if constexpr (kTyping == Typing::floating || kTyping == Typing::float_test ||
                     kTyping == Typing::to_half)
    return {nullptr, nullptr, nullptr, same<Row, F>()};
  else if constexpr (kTyping == Typing::logical)
    return {same<Row, bool>(), nullptr, nullptr, nullptr};
  else if constexpr (kTyping == Typing::equality)
    return {same<Row, bool>(), same<Row, U>(), same<Row, I>(), same<Row, F>()};
  else if constexpr (kTyping == Typing::select)
    return {ternary<Row, bool, bool, bool>, ternary<Row, bool, U, U>, ternary<Row, bool, U, U>,
            ternary<Row, bool, U, U>};
  else if constexpr (kTyping == Typing::shift)
    return {nullptr, binary<Row, U, U>, binary<Row, I, U>, nullptr};
  else if constexpr (kTyping == Typing::extract)
    return {nullptr, ternary<Row, U, U, U>, ternary<Row, I, U, U>, nullptr};
  else if constexpr (kTyping == Typing::scale)
    return {nullptr, nullptr, nullptr, binary<Row, F, I>};
  else if constexpr (kTyping == Typing::from_half)
    return {nullptr, same<Row, U>(), nullptr, nullptr};
  else
    return {};
}

/// By operand type, then result type.
template <typename Row>
constexpr std::array<ByType, kTypes> conversions_of() {
  if constexpr (Row::kTyping == Typing::convert)
    return {
        {{nullptr, conversion<Row, bool, U>, conversion<Row, bool, I>, conversion<Row, bool, F>},
         {conversion<Row, U, bool>, nullptr, nullptr, conversion<Row, U, F>},
         {conversion<Row, I, bool>, nullptr, nullptr, conversion<Row, I, F>},
         {conversion<Row, F, bool>, conversion<Row, F, U>, conversion<Row, F, I>, nullptr}}};
  else
    return {};
}

#define OP(id, n, ...)                                                      \
  struct Row_##id {                                                         \
    static constexpr OpInfo kInfo = {.name = #id, .arity = n, __VA_ARGS__}; \
    static constexpr Typing kTyping = kInfo.typing;                         \
    static constexpr std::size_t kArity = n;                                \
    template <typename... A>                                                \
    static auto call(A... operands) {                                       \
      return Meaning::id(operands...);                                      \
    }                                                                       \
  };
#include "vyre/ops.def"

struct Entry {
  ByType by_type;
  std::array<ByType, kTypes> by_result;
};

inline constexpr Entry kKernels[] = {
#define OP(id, n, ...) {kernels_of<Row_##id>(), conversions_of<Row_##id>()},
#include "vyre/ops.def"
};

inline Type type_of(ScalarType type) {
  if (type == ScalarType::boolean) return kBool;
  if (type == ScalarType::f32) return kFloat;
  return type == ScalarType::i32 ? kSigned : kUnsigned;
}

/// Of integers; null for other operators.
Kernel division_kernel(Op op, ScalarType type);
/// Of operands or results of 64 bits.
Kernel wide_kernel(Op op, ScalarType type, ScalarType result);
Kernel pure_kernel(Op op, ScalarType type, ScalarType result);
Kernel pure_kernel(Op op, ScalarType type, ScalarType result) {
  if (is_wide(type) || is_wide(result)) return wide_kernel(op, type, result);
  if (type == ScalarType::f32)
    if (const Kernel math = math_kernel(op)) return math;
  if (const Kernel division = division_kernel(op, type)) return division;
  const Entry& entry = kKernels[static_cast<std::size_t>(op)];
  const Kernel kernel = entry.by_type[type_of(type)];
  return kernel != nullptr ? kernel : entry.by_result[type_of(type)][type_of(result)];
}

}  // namespace vyre::cpu::VYRE_CPU_ISA
