// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/assembler.h"
#include "wgsl/checked.h"
#include "wgsl/faults.h"
#include "wgsl/subgroup_filter.h"
#include "wgsl/texel_formats.h"
#include "wgsl/to_ir.h"

namespace ir = vyre;

/// The inside of `to_ir`; its methods are in to_ir*.cpp by what they lower.
namespace vyre::wgsl {

/// A value at run time: its scalars in order.
struct Value {
  TypeId type = kFault;
  std::vector<ir::ExprId> scalars = {};
};

/// One of `count` parts, `step` scalars from one to the next.
struct Choice {
  ir::ExprId index = ir::kNone<ir::ExprId>;
  std::uint32_t count = 0;
  std::uint32_t step = 1;
};

/// A view of memory or of mutable scalars.
///
/// Variables without arrays are IR variables, one a scalar: `first` is the first of those that the
/// view covers, in `Lowering::vars_`.  Everything else is a reference to a buffer.
struct View {
  TypeId type = kFault;  ///< what is stored there
  bool in_memory = false;
  std::uint32_t first = 0;
  ir::MemoryRef memory = {};
  /// Of variables: a column of a matrix and a component of a vector that are chosen at run time.
  std::vector<Choice> choices = {};
};

/// What a declaration or parameter stands for now.
struct Bound {
  enum class Kind : std::uint8_t { nothing, value, view } kind = Kind::nothing;
  Value value = {};
  View view = {};
};

/// Of a module.  What an entry point does not reach keeps what an earlier one left there.
struct Bindings {
  std::vector<Bound> declarations;  ///< parallel to `Tree::declarations`
  std::vector<Bound> fields;        ///< parallel to `Tree::fields`
};

class Lowering {
 public:
  Lowering(Checked& module, const Names& names, Faults& faults, Bindings& bindings);
  Program run();

 private:
  /// The function whose body is being lowered.
  struct Frame {
    bool entry = false;
    ir::BlockId scope = ir::kNone<ir::BlockId>;  ///< left by early returns
    std::optional<View> result = {};             ///< where early returns put the value
    Value value = {};                            ///< what the last statement returned
  };

  // The module (to_ir.cpp).
  void declare_buffers();
  void declare_private(std::uint32_t declaration);
  void declare_texture(std::uint32_t declaration);
  void bind_inputs(const Declaration& function);
  Value input(Range attributes, TypeId type);
  ir::ExprId derived_input(std::string_view name);
  ir::LayoutId layout(TypeId type);
  std::string unique_name(std::string name);

  // Views (to_ir_memory.cpp).
  View new_vars(TypeId type);
  View new_local(TypeId type, std::string name, Span span, std::uint32_t key);
  View new_local(TypeId type, const Name& name, std::uint32_t key) {
    return new_local(type, std::string(names_.text(name.symbol)), name.span, key);
  }
  View constant_view(ExprId expr);
  [[nodiscard]] bool is_zero(ExprId expr) const;
  void fill_words(TypeId type,
                  ConstId cells,
                  std::uint64_t offset,
                  std::vector<std::uint32_t>& words) const;
  Value load(const View& view);
  void store(const View& view, const Value& value);
  void store_zero(const View& view);
  void copy(const View& to, const View& from);
  /// Calls `body` with each element's index in turn, as a loop of the program if there are many.
  template <typename F>
  void for_each_element(std::uint32_t count, F&& body);
  void store_expr(const View& to, ExprId expr);
  Value load_vars(const View& view);
  ir::ExprId load_choice(const View& view, std::size_t level, std::uint32_t var, TypeId scalar);
  void store_choice(
      const View& view, std::size_t level, std::uint32_t var, ir::ExprId here, ir::ExprId value);
  View element(const View& view, std::uint32_t index);
  View element(const View& view, ir::ExprId index);
  View member(const View& view, std::uint32_t index);

  // Expressions (to_ir_expression.cpp).
  Value lower(ExprId expr);
  ir::ExprId lower_scalar(ExprId expr) { return lower(expr).scalars.at(0); }
  View view(ExprId expr);
  View pointee(ExprId expr);
  std::optional<View> value_view(ExprId expr);
  View spill(ExprId expr);
  View index_view(const View& base, ExprId index);
  Value constant(ExprId expr);
  Value lower_identifier(ExprId expr);
  Value lower_index(ExprId expr);
  Value lower_member(ExprId expr);
  Value lower_unary(ExprId expr);
  Value lower_binary_chain(ExprId expr);
  Value lower_binary(ExprId expr, Value left);
  Value lower_logical(ExprId expr, ir::ExprId left);
  Value apply(BinaryOp op, TypeId type, const Value& left, const Value& right);
  Value slice(const Value& value, TypeId type, std::uint64_t first) const;
  ir::ExprId to_index(ExprId expr);
  ir::ExprId cell(TypeId scalar, Cell bits);

  // Calls (to_ir_call.cpp).
  Value lower_call(ExprId expr);
  Value lower_bitcast(ExprId expr);
  Value lower_construction(ExprId expr);
  Value lower_builtin(ExprId expr);
  Value lower_texture(ExprId expr, const Builtin& row);
  ir::ExprId texel_index(const View& texture, ExprId coordinates, ExprId level);
  std::vector<ir::ExprId> unpacked(const TexelFormat& format, std::vector<ir::ExprId> words);
  std::vector<ir::ExprId> packed(const TexelFormat& format, std::vector<ir::ExprId> texel);
  Value lower_subgroup(ExprId expr, const Builtin& row);
  ir::ExprId first_active_lane();
  ir::ExprId quad_lane(ExprId argument);
  Value lower_statement_builtin(ExprId expr, const Builtin& row);
  Value lower_user_call(ExprId expr);
  Value uniform_load(const View& from);
  Bound lower_argument(std::uint32_t field, ExprId argument);
  void bind_parameter(std::uint32_t field, Bound argument);
  Value inline_body(std::uint32_t function);

  // Statements (to_ir_statement.cpp).
  bool lower_list(Range body);
  bool lower_statement(StmtId stmt);
  bool lower_block(StmtId block);
  bool lower_body(StmtId block);
  void lower_local(const Stmt& s);
  void bind(std::uint32_t declaration, Value value);
  std::vector<View> swizzle_views(const Swizzled& target);
  void store_swizzle(const Stmt& s, const Swizzled& target);
  void lower_assign(const Stmt& s);
  void lower_compound(const Stmt& s);
  void lower_step(const Stmt& s);
  void lower_if(const Stmt& s);
  void lower_switch(const Stmt& s);
  void lower_loop(const Stmt& s);
  void lower_for(const Stmt& s);
  void lower_while(const Stmt& s);
  void lower_return(const Stmt& s);
  void break_unless(ExprId condition);
  void lower_pointer(std::uint32_t declaration);
  template <typename F>
  void for_each_index(View& view, F&& change);
  std::size_t count_indices(ExprId pointer);
  void take_indices(Range body);
  void hoist(Range body);

  /// False, after telling it, where lowering would nest too deep for the stack.
  bool enter(Span span);
  void count(std::size_t scalars);
  void leave() { --depth_; }

  [[nodiscard]] const Expr& expr(ExprId id) const { return module_.tree.exprs[id]; }
  [[nodiscard]] const ExprInfo& info(ExprId id) const { return module_.exprs[id]; }
  [[nodiscard]] const Stmt& stmt(StmtId id) const { return module_.tree.stmts[id]; }
  [[nodiscard]] std::uint32_t item(Range list, std::uint32_t i) const {
    return module_.tree.lists[list.first + i];
  }
  void unsupported(Span span, std::string what) {
    faults_.error(Code::not_supported, span, std::move(what) + " not supported yet");
  }
  void set_place(Span span) { out_.set_place(faults_.map().place(span)); }
  Value zero(TypeId type);

  Checked& module_;
  const Names& names_;
  Faults& faults_;
  const SubgroupFilter filter_;
  Types& types_;
  Assembler out_;
  std::vector<Bound>& declarations_;  ///< parallel to `Tree::declarations`
  std::vector<Bound>& fields_;        ///< parallel to `Tree::fields`
  std::vector<ir::VarId> vars_;
  std::unordered_map<TypeId, ir::LayoutId> layouts_;
  std::unordered_map<std::uint32_t, ir::BufferId> locals_;     ///< by declaration or expression
  std::unordered_map<std::uint32_t, ir::BufferId> constants_;  ///< by expression
  std::unordered_map<std::string, std::uint32_t> buffer_names_;
  std::unordered_map<std::uint32_t, View> hoisted_;  ///< declarations that a continuing block sees
  /// Of pointers that a continuing block sees: what keeps the indices in them.
  std::unordered_map<std::uint32_t, std::vector<ir::VarId>> kept_indices_;
  std::unordered_map<std::uint32_t, std::size_t> index_counts_;  ///< at most so many, of pointers
  std::vector<Frame> frames_;
  std::uint32_t depth_ = 0;
  std::uint32_t loops_ = 0;
  std::uint32_t continues_ = 0;  ///< `continue` statements of the innermost loop
  std::uint64_t scalars_ = 0;
  bool divergent_ = false;  ///< the text's filters let subgroup operations diverge here
  bool stopped_ = false;
};

}  // namespace vyre::wgsl
