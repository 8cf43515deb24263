// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

#include "wgsl/ast.h"

/// The `diagnostic` filters of a text that let subgroup operations diverge.  Refers to the tree and
/// the names.
namespace vyre::wgsl {

inline constexpr std::string_view kSubgroupRule = "subgroup_uniformity";

class SubgroupFilter {
 public:
  SubgroupFilter(const Tree& tree, const Names& names) : tree_(tree), names_(names) {
    for (const Directive& directive : tree.directives)
      if (directive.kind == DirectiveKind::diagnostic && directive.names.size() == 2 &&
          names.text(directive.names[1].symbol) == kSubgroupRule)
        module_ = names.text(directive.names[0].symbol) != "error";
  }

  /// Whether they may diverge where no attribute says so.
  [[nodiscard]] bool module() const { return module_; }
  /// Whether they may in what has the attributes; `outer`: in what is around it.
  [[nodiscard]] bool within(Range attributes, bool outer) const {
    for (std::uint32_t i = 0; i < attributes.count; ++i) {
      const Attribute& a = tree_.attributes[attributes.first + i];
      if (names_.text(a.name.symbol) != "diagnostic" || a.arguments.count != 2) continue;
      const Expr& severity = tree_.exprs[tree_.lists[a.arguments.first]];
      const Expr& rule = tree_.exprs[tree_.lists[a.arguments.first + 1]];
      if (rule.kind == ExprKind::identifier && names_.text(rule.name.symbol) == kSubgroupRule)
        outer = names_.text(severity.name.symbol) != "error";
    }
    return outer;
  }

 private:
  const Tree& tree_;
  const Names& names_;
  bool module_ = false;
};

}  // namespace vyre::wgsl
