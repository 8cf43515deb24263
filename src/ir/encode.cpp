// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "vyre/program.h"

#include "base/guarded.h"
#include "base/hash.h"
#include "ir/forms.h"
#include "ir/visit.h"

// The canonical bytes.  Everything is little-endian; a list is its length and its items.  Ids of
// values, variables and blocks are dense in statement order already (program.h, invariants), and
// ids of layouts are renumbered by first use here, so equal programs have equal bytes.  The
// program's name, places and sources are not part of it.
namespace vyre {
namespace {

constexpr std::uint32_t kFormat = 1;

class Encoder {
 public:
  explicit Encoder(const Program& program) : program_(program) {}

  std::vector<std::byte> run() && {
    word(kFormat);
    for (const std::uint32_t size : program_.workgroup)
      word(size);
    word(program_.buffers.size());
    for (const BufferDecl& buffer : program_.buffers)
      encode(buffer);
    word(program_.traps.size());
    for (const std::string& trap : program_.traps)
      text(trap);
    walk(program_, *this);
    return std::move(bytes_);
  }

  void enter(BlockId, StmtId) { byte(kEnter); }
  void exit(BlockId, StmtId) { byte(kExit); }
  void statement(StmtId id) {
    const Stmt& stmt = program_[id];
    byte(static_cast<std::uint8_t>(stmt.index()));
    std::visit([&](const auto& s) { payload(s); }, stmt);
    for_each_operand(stmt, [&](ExprId e) { encode(e); });
  }

 private:
  static constexpr std::uint8_t kEnter = 0xfe;
  static constexpr std::uint8_t kExit = 0xff;

  void byte(std::uint8_t value) { bytes_.push_back(static_cast<std::byte>(value)); }
  template <typename E>
  requires std::is_enum_v<E>
  void byte(E value) { byte(static_cast<std::uint8_t>(value)); }
  void word(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8)
      byte(static_cast<std::uint8_t>(value >> shift));
  }
  template <typename Id>
  requires std::is_enum_v<Id>
  void word(Id id) { word(std::uint64_t{index(id)}); }
  void text(std::string_view value) {
    word(value.size());
    for (const char c : value)
      byte(static_cast<std::uint8_t>(c));
  }

  void encode(const BufferDecl& buffer) {
    text(buffer.name);
    word(buffer.group);
    word(buffer.binding);
    byte(buffer.space);
    byte(buffer.access);
    layout(buffer.layout);
    word(buffer.window.begin);
    word(buffer.window.end);
    word(buffer.same_length_as);
    word(buffer.words.size());
    for (const std::uint32_t value : buffer.words)
      word(value);
  }

  /// Layouts form a graph without cycles; each node is written where it is first met.
  void layout(LayoutId id) {
    layout_number_.resize(program_.layouts.size());
    std::uint32_t& number = layout_number_[index(id)];
    word(number);
    if (number != 0) return;
    number = ++layouts_;
    const Layout& node = program_[id];
    byte(node.kind);
    byte(node.scalar);
    byte(node.width);
    byte(static_cast<std::uint8_t>(node.matrix));
    word(node.align);
    word(node.size);
    word(node.count);
    word(node.stride);
    text(node.name);
    if (node.kind == LayoutKind::array) layout(node.element);
    word(node.members.size());
    for (const Layout::Member& member : node.members) {
      text(member.name);
      word(member.offset);
      layout(member.layout);
    }
  }

  /// A tree in prefix order.  Depth is bounded by kMaxExprDepth.
  void encode(ExprId id) {
    const Expr& expr = program_[id];
    byte(expr.kind);
    byte(expr.type);
    switch (expr.kind) {
      case ExprKind::constant: return word(expr.bits);
      case ExprKind::builtin: byte(expr.builtin); return byte(expr.component);
      case ExprKind::length: return word(expr.buffer);
      case ExprKind::launch: byte(expr.launch); return word(expr.buffer);
      case ExprKind::value: return word(expr.value);
      case ExprKind::operation: break;
    }
    byte(expr.op);
    for (const ExprId operand : expr.operands)
      if (operand != kNone<ExprId>) encode(operand);
  }

  void path(const MemoryRef& ref) {
    word(ref.buffer);
    byte(ref.first);
    byte(ref.count);
    word(ref.path.size());
    for (const Step& step : ref.path) {
      byte(step.kind);
      word(step.member);
    }
  }
  void presence(ExprId id) { byte(static_cast<std::uint8_t>(id != kNone<ExprId>)); }

  void payload(const Let& s) { word(s.result); }
  void payload(const Var& s) {
    word(s.var);
    byte(program_.vars[index(s.var)]);
    presence(s.init);
  }
  void payload(const Get& s) { word(s.var); }
  void payload(const Set& s) { word(s.var); }
  void payload(const Load& s) { path(s.from); }
  void payload(const Store& s) { path(s.to); }
  void payload(const Atomic& s) {
    byte(s.op);
    path(s.on);
  }
  void payload(const If& s) { byte(static_cast<std::uint8_t>(s.else_block != kNone<BlockId>)); }
  void payload(const Switch& s) {
    word(s.cases.size());
    for (const Case& c : s.cases) {
      word(c.values.size());
      for (const std::uint32_t value : c.values)
        word(value);
    }
  }
  void payload(const Loop& s) {
    byte(static_cast<std::uint8_t>(s.continuing != kNone<BlockId>));
    presence(s.break_if);
  }
  void payload(const Scope&) {}
  void payload(const Leave& s) { word(s.target); }
  void payload(const Break&) {}
  void payload(const Continue&) {}
  void payload(const Return&) {}
  void payload(const Barrier& s) {
    byte(static_cast<std::uint8_t>(s.workgroup));
    byte(static_cast<std::uint8_t>(s.storage));
  }
  void payload(const UniformLoad& s) { path(s.from); }
  void payload(const Subgroup& s) {
    byte(s.op);
    byte(static_cast<std::uint8_t>(s.divergent));
    presence(s.value);
    presence(s.argument);
  }
  void payload(const Trap& s) { word(s.tag); }

  const Program& program_;
  std::vector<std::byte> bytes_;
  std::vector<std::uint32_t> layout_number_;
  std::uint32_t layouts_ = 0;
};

}  // namespace

std::vector<std::byte> canonical_bytes(const Program& program) {
  return Encoder(program).run();
}

Hash identity(const Program& program) {
  const Hash128 h = hash_bytes(canonical_bytes(program));
  return {h.high, h.low};
}

std::vector<std::byte> encode(const Program& program) {
  return guarded([&] { return canonical_bytes(program); }, [] { return std::vector<std::byte>(); });
}

Hash hash(const Program& program) {
  return guarded([&] { return identity(program); }, [] { return Hash(); });
}

std::string to_string(const Hash& hash) {
  return guarded(
      [&] {
        return Hash128{hash.high, hash.low}.to_hex();
      },
      [] { return std::string(kNoMemoryText); });
}

}  // namespace vyre
