// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/wgpu/wgsl_types.h"
#include "emit/dialect.h"
#include "lower/lower.h"

/// WGSL's way to say what `emit/dialect.h` asks: leaves, memory, atomics, barriers.
namespace vyre::wgpu {

class WgslDialect final : public Dialect {
 public:
  /// `buffers`: the name of each buffer.
  WgslDialect(const Lowered& lowered, WgslTypes& types, std::vector<std::string> buffers);

  [[nodiscard]] std::string_view type_name(ScalarType type) const override;
  [[nodiscard]] const Spelling& spelling(Op op) const override;
  [[nodiscard]] std::optional<Text> own_form(const Program& program,
                                             const Expr& expr,
                                             std::span<const Text> operands) const override;
  [[nodiscard]] Text constant(ScalarType type, std::uint64_t bits) const override;
  [[nodiscard]] Text leaf(const Expr& expr) const override;
  void statement(const Stmt& stmt, TextWriter& out) override;
  [[nodiscard]] std::string_view loop_head() const override { return "loop {"; }
  [[nodiscard]] std::string_view continuing_head() const override { return "continuing {"; }
  [[nodiscard]] std::string break_if(std::string_view condition) const override;

 private:
  void write(const Let& let, TextWriter& out);
  void write(const Var& var, TextWriter& out);
  void write(const Get& get, TextWriter& out);
  void write(const Set& set, TextWriter& out);
  void write(const Load& load, TextWriter& out);
  void write(const Store& store, TextWriter& out);
  void write(const Atomic& atomic, TextWriter& out);
  void write(const Barrier& barrier, TextWriter& out);
  void write(const UniformLoad& load, TextWriter& out);
  void write(const Subgroup& subgroup, TextWriter& out);

  /// The leaf that a reference leads to, without components: "points[v3].position".
  [[nodiscard]] std::string place(const MemoryRef& ref) const;
  /// Components of the vector at the leaf: 1 if it is none, or is indexed by the path's end.
  [[nodiscard]] unsigned width(const MemoryRef& ref) const;
  /// True if the path ends in a run-time index of a vector's component.
  [[nodiscard]] bool picks_component(const MemoryRef& ref) const;
  [[nodiscard]] std::string whole(ExprId id) const;
  [[nodiscard]] std::string argument(ExprId id) const;
  /// `let v3 = text;` for `count` values from `first` on; several are one vector's components.
  void bind(ValueId first, unsigned count, std::string_view text, TextWriter& out);
  [[nodiscard]] std::string value_name(ValueId id) const;
  [[nodiscard]] bool is_used(ValueId id) const;

  const Program& program_;
  const Lowered& lowered_;
  WgslTypes& types_;
  std::vector<std::string> buffers_;
  std::vector<std::string> values_;  ///< what stands for each bound value
  std::vector<bool> used_;           ///< values that some expression reads
};

}  // namespace vyre::wgpu
