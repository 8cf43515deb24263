// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/memory.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/check.h"
#include "base/half.h"
#include "ir/eval.h"

namespace vyre::interpreter {
namespace {

template <typename T>
T copied(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <typename T>
void copy(std::byte* to, std::uint64_t value) {
  const T narrow = static_cast<T>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

/// Sign-extends to 32 bits.
template <typename T>
std::uint64_t signed_element(const std::byte* from) {
  const std::int32_t wide = copied<T>(from);
  return static_cast<std::uint32_t>(wide);
}

}  // namespace

std::optional<std::uint64_t> offset_of(const Address& address,
                                       std::span<const std::uint32_t> indices,
                                       std::uint32_t k,
                                       std::uint64_t count) {
  VYRE_CHECK(indices.size() == address.levels.size());
  std::uint64_t offset = address.offset;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Level& level = address.levels[i];
    const bool moves = address.consecutive && i + 1 == indices.size();
    const std::uint64_t at = std::uint64_t{indices[i]} + (moves ? k : 0);
    if (at >= (level.count != 0 ? level.count : count)) return std::nullopt;
    offset += at * level.stride;
  }
  return address.consecutive ? offset : offset + std::uint64_t{k} * info(address.scalar).bytes;
}

std::uint64_t read_element(ScalarType type, const std::byte* from) {
  switch (type) {
    case ScalarType::boolean: return copied<std::uint32_t>(from) != 0 ? 1 : 0;
    case ScalarType::u32:
    case ScalarType::i32:
    case ScalarType::f32: return copied<std::uint32_t>(from);
    case ScalarType::u64:
    case ScalarType::i64: return copied<std::uint64_t>(from);
    case ScalarType::f16:
    case ScalarType::u16: return copied<std::uint16_t>(from);
    case ScalarType::u8: return copied<std::uint8_t>(from);
    case ScalarType::i8: return signed_element<std::int8_t>(from);
    case ScalarType::i16: return signed_element<std::int16_t>(from);
    case ScalarType::half:
      return std::bit_cast<std::uint32_t>(half_to_float(copied<std::uint16_t>(from)));
  }
  VYRE_UNREACHABLE();
}

void write_element(ScalarType type, std::byte* to, std::uint64_t value) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u32:
    case ScalarType::i32:
    case ScalarType::f32: return copy<std::uint32_t>(to, value);
    case ScalarType::u64:
    case ScalarType::i64: return copy<std::uint64_t>(to, value);
    case ScalarType::f16:
    case ScalarType::u16:
    case ScalarType::i16: return copy<std::uint16_t>(to, value);
    case ScalarType::u8:
    case ScalarType::i8: return copy<std::uint8_t>(to, value);
    case ScalarType::half:
      return copy<std::uint16_t>(
          to, float_to_half(std::bit_cast<float>(static_cast<std::uint32_t>(value))));
  }
  VYRE_UNREACHABLE();
}

std::uint64_t updated_word(
    AtomicOp op, ScalarType type, std::uint64_t old, std::uint64_t value, std::uint64_t comparand) {
  const auto by = [&](Op meaning) {
    const std::array<ScalarType, 2> types = {type, type};
    const std::array<std::uint64_t, 2> operands = {old, value};
    return eval(meaning, type, types, operands);
  };
  switch (op) {
    case AtomicOp::add: return by(Op::add);
    case AtomicOp::sub: return by(Op::sub);
    case AtomicOp::bit_and: return by(Op::bit_and);
    case AtomicOp::bit_or: return by(Op::bit_or);
    case AtomicOp::bit_xor: return by(Op::bit_xor);
    case AtomicOp::min: return by(Op::min);
    case AtomicOp::max: return by(Op::max);
    case AtomicOp::exchange:
    case AtomicOp::store: return value;
    case AtomicOp::compare_exchange: return old == comparand ? value : old;
    case AtomicOp::load: return old;
  }
  VYRE_UNREACHABLE();
}

SpaceBytes::SpaceBytes(const Program& program, Space space) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (buffer.space != space) continue;
    const auto bytes = static_cast<std::size_t>(program.layout(buffer).size);
    regions_.push_back({static_cast<BufferId>(i), size, bytes});
    size += (bytes + 15) / 16 * 16;
  }
  bytes_.resize(size);
}

void SpaceBytes::zero() {
  std::fill(bytes_.begin(), bytes_.end(), std::byte{});
}

void SpaceBytes::show(MemoryView& view) {
  for (const Region& region : regions_)
    view.bytes[index(region.buffer)] = std::span(bytes_).subspan(region.offset, region.size);
}

}  // namespace vyre::interpreter
