// SPDX-License-Identifier: MIT OR Apache-2.0
#include "ir/eval.h"

#include <bit>
#include <cstddef>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "ir/meaning.h"

// A row's typing decides for which C++ types its function is called; `Row` names that function.
// f16 values are evaluated as f32 and rounded.
namespace vyre {
namespace {

struct Half {
  std::uint16_t bits;
};

template <typename T>
T unpack(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, bool>)
    return bits != 0;
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<T>(bits);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<T>(static_cast<std::uint32_t>(bits));
  else
    return T{static_cast<std::uint16_t>(bits)};
}

template <typename T>
std::uint64_t pack(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? 1 : 0;
  else if constexpr (sizeof(T) == 8)
    return std::bit_cast<std::uint64_t>(value);
  else if constexpr (sizeof(T) == 4)
    return std::bit_cast<std::uint32_t>(value);
  else
    return value.bits;
}

float widen(Half value) {
  return half_to_float(value.bits);
}
template <typename T>
T widen(T value) {
  return value;
}

/// The type that T is evaluated in.
template <typename T>
using Wide = decltype(widen(std::declval<T>()));

/// `value` as a T, if T is the type that it was widened from.
template <typename T, typename R>
auto narrow(R value) {
  if constexpr (std::is_same_v<T, Half> && std::is_same_v<R, float>)
    return Half{float_to_half(value)};
  else
    return value;
}

enum class Types : std::uint8_t { all, numeric, integer, floating };

/// Calls `f(To<T>{})` with the C++ type of `type`; only types of the set are instantiated.
template <Types kSet, typename F>
std::uint64_t with_type(ScalarType type, F&& f) {
  const auto call = [&]<bool kAllowed, typename T>() -> std::uint64_t {
    if constexpr (kAllowed)
      return f(To<T>{});
    else
      VYRE_UNREACHABLE();
  };
  constexpr bool kIntegers = kSet != Types::floating;
  constexpr bool kFloats = kSet != Types::integer;
  switch (type) {
    case ScalarType::boolean: return call.template operator()<kSet == Types::all, bool>();
    case ScalarType::u32: return call.template operator()<kIntegers, std::uint32_t>();
    case ScalarType::i32: return call.template operator()<kIntegers, std::int32_t>();
    case ScalarType::f32: return call.template operator()<kFloats, float>();
    case ScalarType::f16: return call.template operator()<kFloats, Half>();
    case ScalarType::u64: return call.template operator()<kIntegers, std::uint64_t>();
    case ScalarType::i64: return call.template operator()<kIntegers, std::int64_t>();
    case ScalarType::u8:
    case ScalarType::i8:
    case ScalarType::u16:
    case ScalarType::i16:
    case ScalarType::half: break;
  }
  VYRE_UNREACHABLE();
}

template <typename F>
std::uint64_t with_integer32(ScalarType type, F&& f) {
  return type == ScalarType::i32 ? f(To<std::int32_t>{}) : f(To<std::uint32_t>{});
}

using Operands = std::span<const std::uint64_t>;

/// Calls the row's function on the operands as the types named.
template <typename Row, typename... T>
std::uint64_t call(Operands operands) {
  return [&]<std::size_t... kAt>(std::index_sequence<kAt...>) {
    using First = std::tuple_element_t<0, std::tuple<T...>>;
    return pack(narrow<First>(Row::call(widen(unpack<T>(operands[kAt]))...)));
  }
  (std::index_sequence_for<T...>{});
}

template <typename Row, typename T>
std::uint64_t call_same(Operands operands) {
  if constexpr (Row::kArity == 1) return call<Row, T>(operands);
  if constexpr (Row::kArity == 2) return call<Row, T, T>(operands);
  if constexpr (Row::kArity == 3) return call<Row, T, T, T>(operands);
}

/// Half to integer clamps to what both can represent, so an infinity becomes 65504.
template <typename R>
float limited(Half value) {
  const float wide = widen(value);
  return std::is_integral_v<R> && Meaning::is_inf(wide) ? Meaning::clamp(wide, -65504.0f, 65504.0f)
                                                        : wide;
}
template <typename R, typename T>
T limited(T value) {
  return value;
}

template <typename Row>
std::uint64_t convert(ScalarType result, ScalarType from, Operands operands) {
  return with_type<Types::all>(from, [&]<typename T>(To<T>) {
    return with_type<Types::all>(result, [&]<typename R>(To<R>) {
      return pack(narrow<R>(Row::call(limited<R>(unpack<T>(operands[0])), To<Wide<R>>{})));
    });
  });
}

template <typename Row>
std::uint64_t bitcast(ScalarType result, ScalarType from, Operands operands) {
  return with_type<Types::numeric>(from, [&]<typename T>(To<T>) {
    return with_type<Types::numeric>(result, [&]<typename R>(To<R>) -> std::uint64_t {
      if constexpr (sizeof(T) == sizeof(R))
        return pack(Row::call(unpack<T>(operands[0]), To<R>{}));
      else
        VYRE_UNREACHABLE();
    });
  });
}

template <typename Row>
std::uint64_t select(ScalarType type, Operands operands) {
  return with_type<Types::all>(type, [&]<typename T>(To<T>) {
    return pack(
        Row::call(unpack<bool>(operands[0]), unpack<T>(operands[1]), unpack<T>(operands[2])));
  });
}

template <typename Row>
std::uint64_t apply(ScalarType result, std::span<const ScalarType> types, Operands operands) {
  constexpr Typing kTyping = Row::kTyping;
  const auto same = [&]<typename T>(To<T>) { return call_same<Row, T>(operands); };
  const ScalarType type = types[0];
  if constexpr (kTyping == Typing::arith) return with_type<Types::numeric>(type, same);
  if constexpr (kTyping == Typing::ordering) return with_type<Types::numeric>(type, same);
  if constexpr (kTyping == Typing::integer) return with_type<Types::integer>(type, same);
  if constexpr (kTyping == Typing::integer32) return with_integer32(type, same);
  if constexpr (kTyping == Typing::floating) return with_type<Types::floating>(type, same);
  if constexpr (kTyping == Typing::float_test) return with_type<Types::floating>(type, same);
  if constexpr (kTyping == Typing::equality) return with_type<Types::all>(type, same);
  if constexpr (kTyping == Typing::logical) return same(To<bool>{});
  if constexpr (kTyping == Typing::from_half) return same(To<std::uint32_t>{});
  if constexpr (kTyping == Typing::to_half) return same(To<float>{});
  if constexpr (kTyping == Typing::scale) return call<Row, float, std::int32_t>(operands);
  if constexpr (kTyping == Typing::select) return select<Row>(types[1], operands);
  if constexpr (kTyping == Typing::convert) return convert<Row>(result, type, operands);
  if constexpr (kTyping == Typing::bitcast) return bitcast<Row>(result, type, operands);
  if constexpr (kTyping == Typing::shift)
    return with_type<Types::integer>(
        type, [&]<typename T>(To<T>) { return call<Row, T, std::uint32_t>(operands); });
  if constexpr (kTyping == Typing::extract)
    return with_integer32(type, [&]<typename T>(To<T>) {
      return call<Row, T, std::uint32_t, std::uint32_t>(operands);
    });
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

}  // namespace

std::uint64_t eval(Op op,
                   ScalarType result,
                   std::span<const ScalarType> types,
                   std::span<const std::uint64_t> operands) {
  VYRE_CHECK(types.size() == info(op).arity && operands.size() == types.size());
  // clang-format off
  switch (op) {
#define OP(id, n, ...) \
    case Op::id: return apply<Row_##id>(result, types, operands);
#include "vyre/ops.def"
  }
  // clang-format on
  VYRE_UNREACHABLE();
}

bool is_finite(ScalarType type, std::uint64_t bits) {
  if (type == ScalarType::f32) return (bits & 0x7f800000u) != 0x7f800000u;
  if (type == ScalarType::f16) return (bits & 0x7c00u) != 0x7c00u;
  return true;
}

}  // namespace vyre
