// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <vector>

#include "ir/layout.h"
#include "ir/visit.h"
#include "lower/memory_forms.h"
#include "lower/passes.h"
#include "lower/rewrite.h"

// Memory becomes what a text target can declare: narrow elements are packed in words, booleans are
// words, constants and uniforms that are too large or laid out otherwise become read-only storage.
// A narrow store touches its own bits only, by atomics where other lanes may store to the word.
namespace vyre {
namespace {

class Packer : public Rewriter {
 public:
  Packer(const Program& from, const Target& target)
      : Rewriter(from), t_(to_), forms_(from, target) {}

 private:
  void begin() override {
    for (std::size_t i = 0; i < from_.buffers.size(); ++i)
      forms_.declare(to_, static_cast<BufferId>(static_cast<std::uint32_t>(i)));
  }

  bool replace(StmtId, const Stmt& stmt) override {
    const MemoryRef* ref = memory_of(stmt);
    if (ref == nullptr) return false;
    const bool words = forms_.in_words(ref->buffer);
    const bool atomic = forms_.in_atomic_words(ref->buffer);
    const Address address = *resolve(from_, *ref);
    if (!words && address.scalar != ScalarType::boolean) return false;
    if (const auto* load = std::get_if<Load>(&stmt))
      return read(*ref, address, load->first, [&](const MemoryRef& word) {
        return atomic ? to_.atomic(AtomicOp::load, word) : to_.load(word);
      });
    if (const auto* load = std::get_if<UniformLoad>(&stmt))
      return read(*ref, address, load->first,
                  [&](const MemoryRef& word) { return to_.uniform_load(word).front(); });
    if (const auto* store = std::get_if<Store>(&stmt)) return write(*store, address);
    return false;
  }

  // ---- where a component lies

  struct Place {
    MemoryRef word;
    ExprId shift = kNone<ExprId>;  ///< bits; none for whole words
  };

  Place place(const MemoryRef& ref, const Address& address, unsigned component) {
    if (forms_.in_words(ref.buffer)) return packed_place(ref.buffer, address, component);
    MemoryRef one = ref;
    map_path(one);
    one.first = static_cast<std::uint8_t>(ref.first + component);
    one.count = 1;
    return {one};
  }

  Place packed_place(BufferId buffer, const Address& address, unsigned component) {
    const std::uint64_t offset = address.offset + component * info(address.scalar).bytes;
    ExprId word = t_.u32(static_cast<std::uint32_t>(offset / 4));
    std::vector<Level> parts;  // levels whose stride is no whole number of words
    for (const Level& level : address.levels) {
      if (level.stride % 4 != 0)
        parts.push_back(level);
      else
        word = t_.add(word, t_.mul(map(level.index), t_.u32(level.stride / 4)));
    }
    const auto byte = static_cast<std::uint32_t>(offset % 4);
    const Place at = {{buffer, {{Step::Kind::index, 0, word}}}};
    if (info(address.scalar).bytes >= 4) return at;
    if (parts.size() == 1 && byte == 0 && (parts[0].stride == 1 || parts[0].stride == 2))
      return part_by_index(at, map(parts[0].index), parts[0].stride);
    return part_by_bytes(at, parts, byte);
  }

  /// Splits the index, which may be too large to be multiplied.
  Place part_by_index(Place at, ExprId i, std::uint32_t stride) {
    const std::uint32_t log = stride == 1 ? 2 : 1;
    ExprId& word = at.word.path[0].index;
    word = t_.add(word, t_.shr(i, t_.u32(log)));
    at.shift = t_.shl(t_.bit_and(i, t_.u32((1u << log) - 1)), t_.u32(5 - log));
    return at;
  }

  Place part_by_bytes(Place at, const std::vector<Level>& parts, std::uint32_t offset) {
    ExprId byte = t_.u32(offset);
    for (const Level& level : parts)
      byte = t_.add(byte, t_.mul(map(level.index), t_.u32(level.stride)));
    ExprId& word = at.word.path[0].index;
    word = t_.add(word, t_.shr(byte, t_.u32(2)));
    at.shift = t_.shl(t_.bit_and(byte, t_.u32(3)), t_.u32(3));
    return at;
  }

  // ---- reading

  template <typename F>
  bool read(const MemoryRef& ref, const Address& address, ValueId first, F load) {
    for (unsigned i = 0; i < ref.count; ++i) {
      const Place at = place(ref, address, i);
      const ExprId word = load(at.word);
      const ExprId value = info(address.scalar).bytes == 8
                               ? joined(address.scalar, word, load(behind(at.word)))
                               : unpacked(address.scalar, word, at.shift);
      bind(static_cast<ValueId>(index(first) + i), to_.let(value));
    }
    return true;
  }

  MemoryRef behind(MemoryRef word) {
    word.path[0].index = t_.add(word.path[0].index, t_.u32(1));
    return word;
  }

  /// A value of 64 bits.
  ExprId joined(ScalarType type, ExprId low, ExprId high) {
    const ExprId top = t_.shl(t_.convert(ScalarType::u64, high), t_.u32(32));
    return t_.bitcast(type, t_.bit_or(t_.convert(ScalarType::u64, low), top));
  }

  ExprId unpacked(ScalarType type, ExprId word, ExprId shift) {
    switch (type) {
      case ScalarType::u8: return t_.bit_and(t_.shr(word, shift), t_.u32(0xff));
      case ScalarType::u16: return t_.bit_and(t_.shr(word, shift), t_.u32(0xffff));
      case ScalarType::i8: return sign_extended(word, shift, 24);
      case ScalarType::i16: return sign_extended(word, shift, 16);
      case ScalarType::half: return t_.op(Op::half_to_float, t_.shr(word, shift));
      case ScalarType::f16:
        return t_.convert(ScalarType::f16, t_.op(Op::half_to_float, t_.shr(word, shift)));
      case ScalarType::boolean: return t_.ne(word, t_.u32(0));
      case ScalarType::u32:
      case ScalarType::i32:
      case ScalarType::f32:
      case ScalarType::u64:
      case ScalarType::i64: return t_.bitcast(type, word);
    }
    return word;
  }

  ExprId sign_extended(ExprId word, ExprId shift, std::uint32_t unused) {
    const ExprId up = t_.shl(word, t_.sub(t_.u32(unused), shift));
    return t_.shr(t_.bitcast(kI32, up), t_.u32(unused));
  }

  // ---- writing

  bool write(const Store& store, const Address& address) {
    for (unsigned i = 0; i < store.to.count; ++i) {
      const Place at = place(store.to, address, i);
      const ExprId bits = packed(address.scalar, map(store.values[i]));
      if (at.shift == kNone<ExprId>)
        write_word(at.word, bits);
      else
        write_part(at, bits, info(address.scalar).bytes == 1 ? 0xff : 0xffff);
    }
    return true;
  }

  ExprId packed(ScalarType type, ExprId value) {
    if (type == ScalarType::boolean) return t_.select(value, t_.u32(1), t_.u32(0));
    if (type == ScalarType::half) return t_.op(Op::float_to_half, value);
    if (type == ScalarType::f16) return t_.op(Op::float_to_half, t_.convert(kF32, value));
    return t_.bits(value);
  }

  void write_word(const MemoryRef& word, ExprId bits) {
    if (forms_.in_atomic_words(word.buffer))
      to_.atomic(AtomicOp::store, word, bits);
    else
      to_.store(word, bits);
  }

  void write_part(const Place& at, ExprId bits, std::uint32_t mask) {
    const ExprId others = t_.op(Op::bit_not, t_.shl(t_.u32(mask), at.shift));
    const ExprId mine = t_.shl(t_.bit_and(bits, t_.u32(mask)), at.shift);
    to_.atomic(AtomicOp::bit_and, at.word, others);
    to_.atomic(AtomicOp::bit_or, at.word, mine);
  }

  Terms t_;
  MemoryForms forms_;
};

}  // namespace

Program pack_elements(const Program& program, const Target& target) {
  return Packer(program, target).run();
}

}  // namespace vyre
