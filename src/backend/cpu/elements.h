// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "vyre/op.h"

#include "backend/cpu/kernels.h"
#include "base/check.h"
#include "base/half.h"

/// Elements of memory as words of a register, and back; and the atomic updates of a word
/// of 32 or 64 bits.
namespace vyre::cpu {

template <typename T>
struct Element {
  static constexpr std::size_t kBytes = sizeof(T);
  /// Widened: unsigned by zeros, signed by its sign.
  static Lane read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int32_t, std::uint32_t>;
    return static_cast<Lane>(static_cast<Wide>(value));
  }
  static void write(std::byte* to, Lane word) {
    const T value = static_cast<T>(word);
    std::memcpy(to, &value, sizeof value);
  }
};

struct BooleanElement {
  static constexpr std::size_t kBytes = 4;
  static Lane read(const std::byte* from) { return Element<Lane>::read(from) != 0 ? ~Lane{0} : 0; }
  static void write(std::byte* to, Lane word) { Element<Lane>::write(to, word & 1); }
};

struct HalfElement {
  static constexpr std::size_t kBytes = 2;
  static Lane read(const std::byte* from) {
    const Lane half = Element<std::uint16_t>::read(from);
    return std::bit_cast<Lane>(half_to_float(static_cast<std::uint16_t>(half)));
  }
  static void write(std::byte* to, Lane word) {
    Element<std::uint16_t>::write(to, float_to_half(std::bit_cast<float>(word)));
  }
};

/// Calls `f` with the element that holds a `type` in memory.
template <typename F>
void with_element(ScalarType type, F&& f) {
  switch (type) {
    case ScalarType::boolean: return f(BooleanElement{});
    case ScalarType::u32:
    case ScalarType::i32:
    case ScalarType::f32: return f(Element<std::uint32_t>{});
    case ScalarType::u8: return f(Element<std::uint8_t>{});
    case ScalarType::i8: return f(Element<std::int8_t>{});
    case ScalarType::u16: return f(Element<std::uint16_t>{});
    case ScalarType::i16: return f(Element<std::int16_t>{});
    case ScalarType::half:
    case ScalarType::f16: return f(HalfElement{});
    case ScalarType::u64:
    case ScalarType::i64: break;
  }
  VYRE_UNREACHABLE();
}

/// What an atomic writes over `old`; a load writes the same again.
template <typename Word>
[[gnu::always_inline]] inline Word updated(
    Word old, AtomicOp op, Word value, Word comparand, bool is_signed) {
  const Word flip = is_signed ? ~(~Word{0} >> 1) : 0;
  const bool less = (value ^ flip) < (old ^ flip);
  switch (op) {
    case AtomicOp::add: return old + value;
    case AtomicOp::sub: return old - value;
    case AtomicOp::bit_and: return old & value;
    case AtomicOp::bit_or: return old | value;
    case AtomicOp::bit_xor: return old ^ value;
    case AtomicOp::min: return less ? value : old;
    case AtomicOp::max: return less ? old : value;
    case AtomicOp::exchange:
    case AtomicOp::store: return value;
    case AtomicOp::compare_exchange: return old == comparand ? value : old;
    case AtomicOp::load: return old;
  }
  VYRE_UNREACHABLE();
}

/// Updates a word that no other thread touches; returns the old value.
template <typename Word>
[[gnu::always_inline]] inline Word plain_update(
    Word& word, AtomicOp op, Word value, Word comparand, bool is_signed) {
  const Word old = word;
  word = updated(old, op, value, comparand, is_signed);
  return old;
}

/// The same as one atomic step.
template <typename Word>
[[gnu::always_inline]] inline Word shared_update(
    Word& word, AtomicOp op, Word value, Word comparand, bool is_signed) {
  constexpr auto kOrder = std::memory_order_relaxed;
  std::atomic_ref<Word> shared(word);
  if (op == AtomicOp::load) return shared.load(kOrder);
  if (op == AtomicOp::add) return shared.fetch_add(value, kOrder);
  Word old = shared.load(kOrder);
  while (
      !shared.compare_exchange_weak(old, updated(old, op, value, comparand, is_signed), kOrder)) {
  }
  return old;
}

}  // namespace vyre::cpu
