// SPDX-License-Identifier: MIT OR Apache-2.0
#include <unordered_map>

#include "wgsl/checker.h"
#include "wgsl/growth.h"

// Two names for one piece of memory, one of them written, are a fault of the call that makes them
// so (section 11.4.1 of the WGSL specification).
namespace vyre::wgsl {

/// The root identifier of a reference or pointer; `kNone` if there is none.
Root Checker::root_of(ExprId id) const {
  while (id != kNone) {
    const Expr& e = expr(id);
    if (e.kind == ExprKind::index || e.kind == ExprKind::member || e.kind == ExprKind::unary) {
      id = e.left;
      continue;
    }
    const ExprInfo& of = info(id);
    if (e.kind != ExprKind::identifier) return kNone;
    if (of.kind == Target::parameter)
      return types_.is(out_.fields[of.target], TypeKind::pointer) ? kParameterRoot | of.target
                                                                  : kNone;
    if (of.kind != Target::declaration) return kNone;
    const Declaration& d = out_.tree.declarations[of.target];
    if (d.kind == DeclarationKind::var) return of.target;
    return out_.declarations[of.target].root;
  }
  return kNone;
}

void Checker::note_space(Root root) {
  const bool variable = (root & kParameterRoot) == 0;
  if (variable && out_.declarations[root].space == AddressSpace::workgroup)
    function_->for_compute = true;
}

void Checker::note_read(ExprId id) {
  if (function_ == nullptr) return;
  if (const Root root = root_of(id); root != kNone) {
    function_->reads.insert(root);
    note_space(root);
  }
}

void Checker::note_write(ExprId id) {
  if (function_ == nullptr) return;
  if (const Root root = root_of(id); root != kNone) {
    function_->writes.insert(root);
    note_space(root);
  }
}

/// Callees first, so that what they access is known at each call.
void Checker::check_aliases(const Growth& growth) {
  for (const std::uint32_t function : growth.order) {
    const auto found = out_.functions.find(function);
    if (found == out_.functions.end() || !aliases_checked_.insert(function).second) continue;
    for (const Call& call : found->second.calls)
      check_call_aliases(call, found->second);
  }
}

void Checker::check_call_aliases(const Call& call, FunctionInfo& caller) {
  const FunctionInfo& callee = out_.functions[call.callee];
  const Range fields = out_.tree.declarations[call.callee].fields;
  const auto writes = [&](std::size_t i) {
    return callee.writes.contains(kParameterRoot | (fields.first + static_cast<Root>(i)));
  };
  const auto reads = [&](std::size_t i) {
    return callee.reads.contains(kParameterRoot | (fields.first + static_cast<Root>(i)));
  };
  struct Use {
    bool used = false;
    bool written = false;
  };
  std::unordered_map<Root, Use> uses;  // through the arguments so far
  bool aliased = false;
  for (std::size_t i = 0; i < call.roots.size(); ++i) {
    const Root root = call.roots[i];
    if (root == kNone) continue;
    Use& use = uses[root];
    aliased = aliased || (writes(i) && use.used) || (reads(i) && use.written);
    use.used = use.used || reads(i) || writes(i);
    use.written = use.written || writes(i);
    const bool is_variable = root < kParameterRoot;
    aliased = aliased || (is_variable && writes(i) &&
                          (callee.reads.contains(root) || callee.writes.contains(root)));
    aliased = aliased || (is_variable && reads(i) && callee.writes.contains(root));
    if (writes(i)) caller.writes.insert(root);
    if (reads(i)) caller.reads.insert(root);
  }
  for (const Root root : callee.reads)
    if (root < kParameterRoot) caller.reads.insert(root);
  for (const Root root : callee.writes)
    if (root < kParameterRoot) caller.writes.insert(root);
  if (aliased)
    fail(Code::aliased_memory, call.span,
         "this call gives the function two names for one variable, and writes through one",
         "pass copies, or different variables");
}

}  // namespace vyre::wgsl
