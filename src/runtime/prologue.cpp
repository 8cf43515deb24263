// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/prologue.h"

#include <algorithm>
#include <cstddef>

#include "vyre/builder.h"

namespace vyre {
namespace {

constexpr std::uint32_t kMost = ~std::uint32_t{0};

constexpr std::uint32_t word_of(std::size_t bytes) {
  return static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
}

/// The kernel, step by step.
class Prologue {
 public:
  Result<ValidProgram> build() {
    const std::uint32_t first = word_of(offsetof(IndirectParams, source));
    const Value at = param(first);
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      grid_[axis] = b_.let(source_[at + axis]);
    width_ = param(word_of(offsetof(IndirectParams, fold_width)));
    check_axes();
    check_product();
    write_grids();
    return b_.build();
  }

 private:
  Value param(std::uint32_t word) { return b_.let(params_[word]); }
  Value limit(std::uint32_t axis) {
    return param(word_of(offsetof(IndirectParams, limits)) + axis);
  }

  void refuse(std::uint32_t why, const Value& value) {
    b_.if_(refused_.get() == 0u, [&] {
      refused_ = why;
      value_ = value;
    });
  }

  /// A long axis is folded, and the others must leave it two.
  void check_axes() {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      is_long_[axis] = b_.let(width_ != 0u && grid_[axis] > width_);
      const Value crowded = is_long_[axis] && others(axis) > width_;
      b_.if_(grid_[axis] > limit(axis) || crowded, [&] { refuse(axis + 1, grid_[axis]); });
    }
  }

  [[nodiscard]] Value others(std::uint32_t axis) const {
    return grid_[(axis + 1) % 3] * grid_[(axis + 2) % 3];
  }
  /// Of the long axis; of z if there is none.
  template <typename F>
  Value of_long(F&& value) const {
    return ops::select(is_long_[0], value(0), ops::select(is_long_[1], value(1), value(2)));
  }

  /// Whether x * y * z fits in a word.
  void check_product() {
    const Value rows = b_.let(grid_[0] * grid_[1]);
    b_.if_(grid_[1] != 0u && grid_[0] > Value(kMost) / grid_[1], [&] { refuse(4, grid_[0]); });
    b_.if_(grid_[2] != 0u && rows > Value(kMost) / grid_[2], [&] { refuse(4, grid_[0]); });
  }

  void write_grids() {
    const Value runs = b_.let(refused_.get() == 0u);
    const Value folds = b_.let(is_long_[0] || is_long_[1] || is_long_[2]);
    const Value last = b_.let(of_long([&](std::uint32_t axis) { return grid_[axis]; }) - 1u);
    const Value rows = b_.let(last / width_ + 1u);
    const Value across = of_long([&](std::uint32_t axis) { return others(axis); });
    write(word_of(offsetof(IndirectRecord, plain)), runs && !folds, grid_);
    write(kFoldedWord, runs && folds, {last / rows + 1u, rows, across});
    write(word_of(offsetof(IndirectRecord, grid)), true, grid_);
    block_[word_of(offsetof(IndirectRecord, refused))] = refused_.get();
    block_[word_of(offsetof(IndirectRecord, value))] = value_.get();
    write_launch(word_of(offsetof(IndirectParams, plain_words)));
    write_launch(word_of(offsetof(IndirectParams, folded_words)));
  }

  void write(std::uint32_t at, const Value& condition, const std::array<Value, 3>& grid) {
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      block_[at + axis] = ops::select(condition, grid[axis], 0u);
  }

  void write_launch(std::uint32_t words) {
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
      const Value at = param(words + axis);
      b_.if_(at != 0u, [&] { block_[at] = grid_[axis]; });
    }
  }

  Builder b_ = Builder("indirect_grid", {.workgroup = 1});
  Memory source_ = b_.input<std::uint32_t>("source");
  Memory params_ = b_.input<std::uint32_t>("params", word_of(sizeof(IndirectParams)));
  Memory block_ = b_.in_out<std::uint32_t>("block");
  std::array<Value, 3> grid_ = {0u, 0u, 0u};
  Value width_ = 0u;
  std::array<Value, 3> is_long_ = {false, false, false};
  Variable refused_ = b_.var(0u);
  Variable value_ = b_.var(0u);
};

}  // namespace

IndirectParams indirect_limits(const PlanTemplate& program,
                               const Limits& limits,
                               std::uint32_t fold_width) {
  constexpr std::uint64_t kInvocations = std::uint64_t{1} << 32;
  const auto at_most = [](std::uint64_t a, std::uint64_t b) {
    return static_cast<std::uint32_t>(std::min({a, b, std::uint64_t{kMost}}));
  };
  IndirectParams params = {};
  const auto& workgroup = program.program->workgroup;
  const std::uint64_t rows = fold_width != 0 ? limits.grid : 1;
  for (std::size_t axis = 0; axis < 3; ++axis)
    params.limits[axis] = at_most(rows * limits.grid, kInvocations / workgroup[axis]);
  params.fold_width = fold_width;
  return params;
}

std::uint64_t refused_limit(const IndirectParams& params, const IndirectRecord& record) {
  if (record.refused == 4) return kMost;
  const std::uint32_t limit = params.limits[record.refused - 1];
  return record.value > limit ? limit : params.fold_width;
}

Result<ValidProgram> indirect_prologue() {
  return Prologue().build();
}

}  // namespace vyre
