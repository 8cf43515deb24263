// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/assembler.h"
#include "wgsl/builtins.h"
#include "wgsl/checked.h"
#include "wgsl/source_map.h"
#include "wgsl/subgroup_filter.h"

namespace ir = vyre;

/// The inside of `check_flow`.
namespace vyre::wgsl {

/// What an expression depends on: a word of the program, or `kUniform`.
using Word = ir::ExprId;
inline constexpr Word kUniformWord = ir::kNone<ir::ExprId>;

/// What a reference or a pointer leads to.
struct FlowPlace {
  enum class Kind : std::uint8_t {
    fixed,     ///< read-only memory
    variable,  ///< `variable`: of function scope
    shared,    ///< `buffer`: memory that may hold anything
  } kind = Kind::fixed;
  bool whole = true;  ///< all of the variable
  ir::VarId variable = {};
  ir::BufferId buffer = {};
  Word index = kUniformWord;  ///< what the place itself depends on
};

/// Writes words, and the memory that they are read from.
class FlowWords {
 public:
  explicit FlowWords(Assembler& out) : out_(out) {}

  /// What depends on both.
  Word both(Word a, Word b);
  /// The word where a program must have one.
  Word solid(Word word) { return word == kUniformWord ? out_.u32(0) : word; }
  FlowPlace variable(Word value);
  FlowPlace shared(std::string name);
  Word read(const FlowPlace& place);
  void write(const FlowPlace& place, Word value);
  ir::MemoryRef memory(const FlowPlace& place);

 private:
  Assembler& out_;
};

/// Where faults were found.
class FaultyPlaces {
 public:
  FaultyPlaces(const Diagnostics& known, const SourceMap& map);
  [[nodiscard]] bool touch(Span span) const;

 private:
  using Point = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;
  static Point point(const Place& place) { return {place.file, place.line, place.column}; }

  const SourceMap& map_;
  std::vector<Point> points_;  ///< ascending
};

class FlowWriter {
 public:
  FlowWriter(const Checked& module,
             const Names& names,
             const SourceMap& map,
             const FaultyPlaces& faults,
             const SubgroupFilter& filter,
             std::string name);
  /// The program of a function.
  Program write(std::uint32_t function);

 private:
  /// What a declaration or parameter stands for now.
  struct Bound {
    Word value = kUniformWord;
    FlowPlace place = {};
    bool known = false;
    bool hoisted = false;  ///< declared before the loop whose body declares it
  };
  /// The function whose body is being written.
  struct Frame {
    bool root = false;
    ir::BlockId scope = ir::kNone<ir::BlockId>;  ///< left by early returns
    FlowPlace result = {};                       ///< where early returns put the value
    Word value = kUniformWord;                   ///< what the last statement returned
  };

  // The function (flow.cpp).
  void bind_inputs(const Declaration& function);
  Bound parameter(std::uint32_t field);
  Word structure_input(std::uint32_t structure);
  Word input(Range attributes);
  const FlowPlace& global(std::uint32_t declaration);

  // Expressions (flow_expression.cpp).
  Word eval(ExprId expr);
  Word eval_all(Range list, std::uint32_t first = 0);
  Word binary_chain(ExprId expr);
  Word logical(ExprId expr, Word left);
  FlowPlace place(ExprId expr);
  FlowPlace pointee(ExprId expr);
  Word call(ExprId expr);
  Word builtin(ExprId expr, const Builtin& row);
  Word statement_builtin(const Expr& e, const Builtin& row);
  Word subgroup(const Expr& e, const Builtin& row);
  Word user_call(ExprId expr);
  Word inline_body(std::uint32_t function);

  // Statements (flow_statement.cpp).
  bool list(Range body);
  bool statement(StmtId stmt);
  bool jump(const Stmt& s);
  void block(StmtId block);
  ir::BlockId arm(StmtId block);
  void local(const Stmt& s);
  void assign(const Stmt& s);
  void if_(const Stmt& s);
  void switch_(const Stmt& s);
  void loop(const Stmt& s);
  void hoist(Range body);
  void break_unless(ExprId condition);
  void return_(const Stmt& s);

  bool enter();
  void leave() { --depth_; }
  [[nodiscard]] bool faulty(ExprId id) const {
    return info(id).type == kFault || faults_.touch(expr(id).span);
  }
  [[nodiscard]] const Expr& expr(ExprId id) const { return module_.tree.exprs[id]; }
  [[nodiscard]] const ExprInfo& info(ExprId id) const { return module_.exprs[id]; }
  [[nodiscard]] const Stmt& stmt(StmtId id) const { return module_.tree.stmts[id]; }
  [[nodiscard]] std::uint32_t item(Range list, std::uint32_t i) const {
    return module_.tree.lists[list.first + i];
  }
  [[nodiscard]] bool is_pointer(TypeId type) const { return module_.types.names_memory(type); }
  void set_place(Span span) { out_.set_place(map_.place(span)); }

  const Checked& module_;
  const Names& names_;
  const SourceMap& map_;
  const FaultyPlaces& faults_;
  const SubgroupFilter& filter_;
  Assembler out_;
  FlowWords words_;
  std::unordered_map<std::uint32_t, Bound> declarations_;  ///< those met so far
  std::unordered_map<std::uint32_t, Bound> fields_;
  std::vector<Frame> frames_;
  std::uint32_t depth_ = 0;
  std::uint32_t loops_ = 0;       ///< that a `continue` may end a turn of
  std::uint32_t breakables_ = 0;  ///< that a `break` may end
  bool divergent_ = false;        ///< the filters let subgroup operations diverge here
};

}  // namespace vyre::wgsl
