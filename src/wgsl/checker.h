// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/near_names.h"
#include "wgsl/check.h"
#include "wgsl/growth.h"
#include "wgsl/predeclared.h"

/// The checker's inside; its methods are in check_*.cpp by what they check.
namespace vyre::wgsl {

/// What control can do after a statement (section 9.7 of the WGSL specification).
struct Behavior {
  bool next = false;
  bool breaks = false;
  bool continues = false;
  bool returns = false;
};

class Checker {
 public:
  Checker(Tree tree, Names& names, const CheckOptions& options, Faults& faults);
  Checked run();
  void run_each(const std::function<void(Checked&)>& taken);

 private:
  struct Binding {
    Target kind = Target::none;
    std::uint32_t index = kNone;
    std::uint32_t depth = 0;
    Span span = {};
  };
  struct Undo {
    Symbol symbol;
    Binding before;
  };

  // The module (check_module.cpp).
  void check_module_scope();
  bool reach(std::uint32_t entry);
  void index_globals();
  void check_directives();
  void check_reached();
  void check_everything();
  void check_stages(std::uint32_t function);
  std::optional<std::uint32_t> find_entry();
  void check_entry(std::uint32_t function);
  void check_entry_inputs(const Declaration& function);
  void check_input(Range attributes, TypeId type, Span span);
  void check_workgroup_size(const Declaration& function);
  [[nodiscard]] std::uint32_t structure_of(ExprId type) const;
  void inherit_needs(FunctionInfo& caller);
  void report_cycles(const Growth& growth);
  std::vector<std::uint32_t> check_recursion();
  void check_bindings();
  void check_overrides_known();

  // Declarations (check_declaration.cpp).
  void require(std::uint32_t declaration);
  void dependencies(std::uint32_t declaration, std::vector<std::uint32_t>& out) const;
  void report_cycle(const std::vector<std::uint32_t>& path, std::uint32_t again);
  void resolve(std::uint32_t declaration);
  void resolve_structure(const Declaration& d, DeclarationInfo& info);
  void resolve_value(const Declaration& d, DeclarationInfo& info);
  void resolve_override(const Declaration& d, DeclarationInfo& info);
  void resolve_global_var(const Declaration& d, DeclarationInfo& info);
  void resolve_signature(std::uint32_t index, const Declaration& d);
  void check_const_assert(ExprId condition, Span span);
  void check_store_type(const Declaration& d, DeclarationInfo& info);
  void check_private_size(const Declaration& d, TypeId type);
  bool read_var_templates(const Declaration& d, DeclarationInfo& info);
  std::optional<AddressSpace> address_space(ExprId expr);
  std::optional<AccessMode> access_mode(ExprId expr);
  std::optional<std::uint32_t> attribute_value(Range attributes,
                                               std::string_view name,
                                               std::uint64_t limit);
  [[nodiscard]] const Attribute* find_attribute(Range attributes, std::string_view name) const;
  void reject_repeated_attributes(Range attributes);

  // Types (check_type.cpp).
  TypeId type_of(ExprId expr);
  TypeId named_type(ExprId expr, bool report);
  TypeId sized(TypeId type, Span span);
  TypeId predeclared_type(const Expr& e, const Predeclare& row);
  bool allows_f16(Span span);
  TypeId matrix_type(const Expr& e, const Predeclare& row);
  TypeId texture_type(const Expr& e, const Predeclare& row);
  TypeId array_type(const Expr& e);
  TypeId pointer_type(const Expr& e);
  TypeId template_type(const Expr& e, std::uint32_t index);
  bool check_template_count(const Expr& e, std::uint32_t least, std::uint32_t most);
  std::optional<std::uint32_t> array_count(ExprId expr, bool& by_override);

  // Expressions (check_expression.cpp).  `check` gives a reference where memory is named;
  // `check_value` the type of the value.
  TypeId check(ExprId expr);
  TypeId check_value(ExprId expr);
  TypeId check_literal(const Expr& e, ExprInfo& info);
  TypeId check_identifier(ExprId expr);
  TypeId check_index(ExprId expr);
  TypeId check_member(ExprId expr);
  [[nodiscard]] std::string suggest_member(TypeId structure, std::string_view name) const;
  TypeId check_swizzle(ExprId expr, TypeId vector, TypeId base);
  TypeId check_unary(ExprId expr);
  TypeId check_address_of(ExprId expr);
  TypeId check_indirection(ExprId expr);
  TypeId check_binary_chain(ExprId expr);
  TypeId check_binary(ExprId expr);
  TypeId check_logical(ExprId expr);
  TypeId check_shift(ExprId expr, TypeId left, TypeId right);
  TypeId check_comparison(ExprId expr, TypeId left, TypeId right);
  TypeId check_bitwise(ExprId expr, TypeId left, TypeId right);
  TypeId check_arithmetic(ExprId expr, TypeId left, TypeId right);
  TypeId bad_operands(ExprId expr, TypeId left, TypeId right);
  void check_constant_right(ExprId expr);
  TypeId finish_operator(ExprId expr, TypeId type, Op op);
  void note_indexed(ExprId expr);
  bool check_index_bound(ExprId index, TypeId indexed);
  TypeId through_pointer(ExprId base, TypeId type, ExprInfo& info);

  // Calls (check_call.cpp, check_builtin.cpp).
  TypeId check_call(ExprId expr);
  TypeId check_user_call(ExprId expr, std::uint32_t function);
  TypeId check_construction(ExprId expr, TypeId type);
  TypeId check_inferred_construction(ExprId expr, const Predeclare& row);
  TypeId construct_vector(ExprId expr, TypeId scalar, std::uint32_t width);
  TypeId construct_matrix(ExprId expr, TypeId scalar, std::uint32_t columns, std::uint32_t rows);
  TypeId infer_matrix(ExprId expr, const Predeclare& row);
  TypeId check_matrix_builtin(ExprId expr, const Builtin& row);
  TypeId matrix_result(BinaryOp op, TypeId left, TypeId right);
  TypeId construct_array(ExprId expr, TypeId element, std::uint32_t count);
  TypeId construct_scalar(ExprId expr, TypeId type);
  TypeId check_bitcast(ExprId expr);
  void to_words(ExprId expr);
  TypeId check_builtin_call(ExprId expr, std::uint32_t row);
  std::optional<TypeId> match_builtin(ExprId expr, const Builtin& row);
  TypeId family_type(ExprId expr, const Builtin& row);
  TypeId param_type(char param, TypeId family);
  TypeId argument_type(char param, TypeId family, ExprId argument);
  TypeId result_type(char result, TypeId family);
  TypeId check_texture(ExprId expr, const Builtin& row);
  bool check_texel_place(ExprId texture, ExprId coordinates, const Builtin& row);
  TypeId check_derivative(ExprId id, const Builtin& row);
  /// Only fragment shaders may come here.
  void note_fragment(Span span, std::string_view what);
  TypeId check_subgroup(ExprId expr, const Builtin& row);
  bool check_lane(ExprId expr, const Builtin& row);
  TypeId check_statement_builtin(ExprId expr, const Builtin& row);
  TypeId check_atomic(ExprId expr, const Builtin& row, TypeId pointer);
  bool builtin_faults(ExprId expr, const Builtin& row, TypeId family);
  TypeId no_overload(ExprId expr, std::string_view name, std::string help);
  bool check_arguments(const Expr& e);
  bool check_value_size(TypeId type, Span span);
  TypeId finish_call(ExprId expr, TypeId type);

  // Constants (check_constant.cpp).
  bool coerce(ExprId expr, TypeId to);
  bool coerce_or_report(ExprId expr, TypeId to, std::string_view what);
  TypeId concretize(ExprId expr);
  [[nodiscard]] bool is_known(ExprId expr) const {
    return info(expr).stage != Stage::runtime && info(expr).type != kFault;
  }
  /// False where faults of the value do not count: it is not evaluated, or not known.
  [[nodiscard]] bool is_judged(ExprId expr) const { return unevaluated_ == 0 && !is_assumed(expr); }
  /// True where the value hangs on an override whose value is not known.
  [[nodiscard]] bool is_assumed(ExprId expr) const {
    return options_.assume_overrides && info(expr).stage == Stage::override_;
  }
  [[nodiscard]] std::vector<Scalar> scalars(ExprId expr) const;
  TypeId set_value(ExprId expr, TypeId type, std::span<const Scalar> scalars);
  ConstId set_cell(Scalar scalar) {
    const Cell cells[] = {scalar.bits};
    return constants_.add(cells);
  }
  TypeId evaluate_unary(ExprId expr, TypeId type, Op op);
  TypeId evaluate_binary(ExprId expr, TypeId type, Op op);
  TypeId evaluate_product(ExprId expr, TypeId type);
  TypeId evaluate_matrix(ExprId expr, const Builtin& row, TypeId type);
  TypeId evaluate_builtin(ExprId expr, const Builtin& row, TypeId type);
  std::optional<std::int64_t> known_integer(ExprId expr) const;
  bool report(ScalarFault fault, ExprId expr, std::string_view detail);
  std::string value_text(ExprId expr) const;
  TypeId require_stage(ExprId expr, Stage stage, std::string_view what);

  // Aliases (check_alias.cpp).
  [[nodiscard]] Root root_of(ExprId expr) const;
  void note_space(Root root);
  void note_read(ExprId expr);
  void note_write(ExprId expr);
  void check_aliases(const Growth& growth);
  void check_call_aliases(const Call& call, FunctionInfo& caller);

  // Statements and functions (check_statement.cpp).
  void check_function(std::uint32_t function);
  Behavior check_block(StmtId block, bool scoped = true);
  Behavior check_list(Range body);
  Behavior check_statement(StmtId stmt);
  Behavior check_if(const Stmt& s);
  Behavior check_switch(const Stmt& s);
  void check_selectors(const Clause& clause, TypeId type, bool& has_default);
  Behavior check_loop(const Stmt& s);
  Behavior check_for(const Stmt& s);
  Behavior check_while(const Stmt& s);
  Behavior loop_behavior(Behavior body, bool may_leave);
  Behavior check_return(const Stmt& s);
  void check_local(const Stmt& s);
  void check_local_var(const Declaration& d, DeclarationInfo& info);
  void check_assign(const Stmt& s);
  void check_compound(const Stmt& s);
  void bad_compound(const Stmt& s, TypeId target, TypeId value);
  void check_step(const Stmt& s);
  void check_call_statement(const Stmt& s);
  void check_condition(ExprId condition, std::string_view what);
  bool check_components(const Swizzled& swizzle, Span span);
  TypeId check_target(ExprId target);

  // Scopes.
  void open_scope() { ++depth_; }
  void close_scope();
  void declare(Name name, Target kind, std::uint32_t index);
  Binding lookup(Symbol symbol);
  enum class Sought : std::uint8_t { value, function, type };
  [[nodiscard]] bool could_be(Symbol symbol, Sought sought) const;
  [[nodiscard]] std::string suggest(std::string_view name, Sought sought) const;

  // Shorthands.
  [[nodiscard]] const Expr& expr(ExprId id) const { return out_.tree.exprs[id]; }
  [[nodiscard]] ExprInfo& info(ExprId id) { return out_.exprs[id]; }
  [[nodiscard]] const ExprInfo& info(ExprId id) const { return out_.exprs[id]; }
  /// The type of a checked expression as a value: what a reference holds; a pointer stays one.
  [[nodiscard]] TypeId value_type(ExprId id) const {
    const TypeId type = info(id).type;
    return types_.is(type, TypeKind::reference) ? types_[type].element : type;
  }
  [[nodiscard]] const Stmt& stmt(StmtId id) const { return out_.tree.stmts[id]; }
  [[nodiscard]] std::uint32_t item(Range list, std::uint32_t i) const {
    return out_.tree.lists[list.first + i];
  }
  [[nodiscard]] std::string text(Symbol symbol) const { return std::string(names_.text(symbol)); }
  [[nodiscard]] std::string quoted(Symbol symbol) const { return "`" + text(symbol) + "`"; }
  [[nodiscard]] std::string type_name(TypeId id) const { return "`" + types_.name(id) + "`"; }
  TypeId fail(Code code, Span span, std::string message, std::string help = {}) {
    if (muted_ == 0) faults_.error(code, span, std::move(message), std::move(help));
    return kFault;
  }
  TypeId unsupported(Span span, std::string_view what) {
    return fail(Code::not_supported, span, std::string(what) + " not supported yet");
  }

  Names& names_;
  const CheckOptions& options_;
  Faults& faults_;
  Checked out_;
  Types& types_;
  Constants& constants_;
  std::vector<Binding> locals_;                 ///< by symbol
  std::vector<std::uint32_t> globals_;          ///< by symbol: a declaration of the module
  std::vector<const Predeclare*> predeclared_;  ///< by symbol
  std::vector<Predeclare> builtin_names_;
  std::vector<Undo> undo_;
  struct Loop {
    std::uint32_t depth;           ///< of the scope of its body
    std::uint32_t first_continue;  ///< offset in the text, or `kNone`
    bool in_continuing;
  };
  std::vector<Loop> open_loops_;
  std::vector<std::uint32_t> positions_;  ///< in the path of those being resolved
  std::vector<std::uint8_t> states_;      ///< of declarations: 0 unknown, 1 being resolved, 2 done
  bool f16_enabled_ = false;
  std::unordered_map<std::string, ConstantValue> given_;  ///< values of overrides, by name or id
  std::unordered_set<std::uint32_t> override_ids_;
  std::unordered_set<std::uint32_t> aliases_checked_;
  std::vector<std::uint32_t> reached_;  ///< functions to check
  std::vector<bool> checked_;           ///< by declaration: functions whose bodies are checked
  std::uint32_t resolving_ = 0;         ///< declarations of the module within each other
  std::size_t module_errors_ = 0;       ///< found in declarations of the module
  std::uint32_t depth_ = 0;
  bool module_scope_ = true;       ///< local names are not visible
  std::uint32_t unevaluated_ = 0;  ///< within what a constant `&&` or `||` does not evaluate
  std::uint32_t muted_ = 0;
  // Of the function being checked.
  FunctionInfo* function_ = nullptr;
  std::uint32_t loops_ = 0;
  std::uint32_t breakables_ = 0;
  std::uint32_t returns_ = 0;
};

}  // namespace vyre::wgsl
