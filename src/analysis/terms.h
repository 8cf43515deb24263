// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "vyre/program.h"

/// Names for what expressions compute: equal expressions of equal values have one name.
///
/// Values have the name of what was bound to them; values that nothing is known about, such as
/// those loaded from memory that may be written, have an opaque name of their own.  Opaque names
/// are counted, so a name is older than a place if all that it is made of is.  One thread at a
/// time.
namespace vyre {

enum class Term : std::uint32_t {};

struct TermInfo {
  ExprKind kind = ExprKind::value;    ///< value: opaque
  ScalarType type = ScalarType::u32;  ///< a comparison: of its operands
  Op op = Op::add;
  Builtin builtin = Builtin::global_id;
  std::uint8_t component = 0;
  BufferId buffer = kNone<BufferId>;  ///< of a value: it was read from there; none: opaque
  std::uint64_t bits = 0;             ///< constant; opaque: its number; read: its offset
  std::array<Term, 3> operands = {kNone<Term>, kNone<Term>, kNone<Term>};
  friend bool operator==(const TermInfo&, const TermInfo&) = default;
};

/// True if nothing writes the buffer while a kernel runs.
inline bool is_read_only(const BufferDecl& buffer) {
  return buffer.space == Space::uniform || buffer.space == Space::constant ||
         (buffer.space == Space::storage && buffer.access == Access::input);
}

class TermTable {
 public:
  explicit TermTable(const Program& program)
      : program_(program), values_(program.values.size(), kNone<Term>) {}

  /// The name of an expression.  Conversions between u32 and i32 keep the bits, and the name.
  Term of(ExprId id);
  Term of_value(ValueId id);
  void bind(ValueId id, Term term) { values_[index(id)] = term; }
  Term opaque(ScalarType type);
  Term length(BufferId buffer);
  Term constant(ScalarType type, std::uint64_t bits);
  Term operation(Op op, ScalarType type, Term x, Term y);
  /// What lies at `offset` + Σ index × stride of memory that nothing writes while a kernel runs.
  /// REQUIRES: at most three indices.
  Term read_only(BufferId buffer,
                 ScalarType type,
                 std::uint64_t offset,
                 std::span<const Term> indices);
  /// The count of the newest opaque name that a name is made of; 0 if there is none.
  [[nodiscard]] std::uint64_t newest(Term term) const { return newest_[index(term)]; }
  /// Of all opaque names.
  [[nodiscard]] std::uint64_t newest() const { return opaques_; }
  [[nodiscard]] const TermInfo& operator[](Term term) const { return infos_[index(term)]; }

 private:
  struct Hasher {
    std::size_t operator()(const TermInfo& info) const;
  };
  Term intern(const TermInfo& info);

  const Program& program_;
  std::vector<TermInfo> infos_;
  std::vector<std::uint64_t> newest_;  ///< by term
  std::unordered_map<TermInfo, Term, Hasher> known_;
  std::vector<Term> values_;
  std::uint64_t opaques_ = 0;
};

}  // namespace vyre
