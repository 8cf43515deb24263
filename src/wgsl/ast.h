// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "wgsl/names.h"
#include "wgsl/source_map.h"

/// The syntax tree of a module: the whole grammar of WGSL.
///
/// Nodes live in vectors of `Tree` and refer to each other by index, so a tree of any depth is
/// freed without recursion.  Children lists are ranges of `Tree::lists`.  Every node has the span
/// of its text.  Values; immutable after parsing.
namespace vyre::wgsl {

using ExprId = std::uint32_t;
using StmtId = std::uint32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// A run of `Tree::lists`, `Tree::fields`, `Tree::attributes` or `Tree::clauses`.
struct Range {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool empty() const { return count == 0; }
};

struct Name {
  Symbol symbol = 0;
  Span span = {};
};

enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
};
std::string_view spelling(BinaryOp op);

enum class UnaryOp : std::uint8_t { negate, bit_not, logical_not, address_of, indirection };
std::string_view spelling(UnaryOp op);

enum class ExprKind : std::uint8_t {
  fault,          ///< stands where the text was not WGSL
  int_literal,    ///< `integer`, `suffix`
  float_literal,  ///< `real`, `suffix`
  bool_literal,   ///< `integer`
  identifier,     ///< `name`, template arguments `list`
  call,           ///< callee `left` (an identifier), arguments `list`
  index,          ///< `left`[`right`]
  member,         ///< `left`.`name`
  unary,          ///< `unary` `left`
  binary,         ///< `left` `binary` `right`
};

enum class Suffix : std::uint8_t { none, i, u, f, h, li, lu };

struct Expr {
  ExprKind kind = ExprKind::fault;
  Suffix suffix = Suffix::none;
  BinaryOp binary = BinaryOp::add;
  UnaryOp unary = UnaryOp::negate;
  bool templated = false;  ///< an identifier written with a template list
  Span span = {};
  Name name = {};
  ExprId left = kNone;
  ExprId right = kNone;
  Range list = {};
  union {
    std::uint64_t integer = 0;
    double real;
  };
};

enum class StmtKind : std::uint8_t {
  fault,
  block,      ///< `body`
  variable,   ///< `declaration`
  assign,     ///< `target` = `value`
  compound,   ///< `target` `op`= `value`
  phony,      ///< _ = `value`
  increment,  ///< `target`++
  decrement,  ///< `target`--
  call,       ///< `value`
  if_,        ///< `clauses`: a condition and a body each; the last may be without condition
  switch_,    ///< selector `value`, `clauses`: `selectors` (kNone is default) and a body each
  loop,       ///< `body`, `continuing` (maybe kNone), break if `value` (maybe kNone)
  for_,       ///< `initial`, condition `value`, `update` (each maybe kNone), `body`
  while_,     ///< condition `value`, `body`
  break_,
  continue_,
  return_,  ///< `value`, maybe kNone
  discard,
  const_assert,  ///< `value`
};

/// `if`/`else if`/`else` branches and switch cases.
struct Clause {
  Span span = {};  ///< of what leads in the body
  ExprId condition = kNone;
  Range selectors = {};
  StmtId body = kNone;
};

struct Stmt {
  StmtKind kind = StmtKind::fault;
  BinaryOp op = BinaryOp::add;
  Span span = {};
  Range attributes = {};
  ExprId target = kNone;
  ExprId value = kNone;
  std::uint32_t declaration = kNone;  ///< of `Tree::declarations`
  StmtId initial = kNone;
  StmtId update = kNone;
  StmtId continuing = kNone;
  StmtId body_block = kNone;  ///< of loops; of a switch an empty one with its attributes
  Range body = {};            ///< of blocks: statements in `Tree::lists`
  Range clauses = {};
};

struct Attribute {
  Name name = {};
  Span span = {};
  bool has_list = false;
  Range arguments = {};  ///< expressions in `Tree::lists`
};

/// A member of a structure or a parameter of a function.
struct Field {
  Name name = {};
  Span span = {};
  ExprId type = kNone;
  Range attributes = {};
};

enum class DeclarationKind : std::uint8_t {
  alias,         ///< `name` = `type`
  structure,     ///< `fields`
  const_,        ///< `type` (maybe kNone), `value`
  let,           ///< the same
  override_,     ///< `type`, `value` (each maybe kNone)
  var,           ///< `templates`, `type`, `value` (each maybe absent)
  function,      ///< `fields`, `type` (result, maybe kNone), `result_attributes`, `body`
  const_assert,  ///< `value`
};

struct Declaration {
  DeclarationKind kind = DeclarationKind::alias;
  bool faulty = false;  ///< its text was not WGSL; only its name is known
  Name name = {};
  Span span = {};
  Range attributes = {};
  ExprId type = kNone;
  ExprId value = kNone;
  Range templates = {};
  Range fields = {};
  Range result_attributes = {};
  StmtId body = kNone;
};

enum class DirectiveKind : std::uint8_t { enable, requires_, diagnostic };

struct Directive {
  DirectiveKind kind = DirectiveKind::enable;
  Span span = {};
  std::vector<Name> names = {};  ///< of `diagnostic`: severity, rule and its second part
};

struct Tree {
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<Declaration> declarations;  ///< of the module and of functions
  std::vector<Field> fields;
  std::vector<Attribute> attributes;
  std::vector<Clause> clauses;
  std::vector<std::uint32_t> lists;    ///< runs of expression, statement or declaration indices
  std::vector<std::uint32_t> globals;  ///< declarations of the module, in order
  std::vector<Directive> directives;
  bool whole = true;  ///< no syntax fault was found
};

}  // namespace vyre::wgsl
