// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fuzz/choices.h"
#include "fuzz/fuzz_case.h"
#include "ir/assembler.h"

/// What the parts of the generator share: the program so far, and what is visible in it.
namespace vyre::test {

enum class Role : std::uint8_t {
  readable,       ///< nobody writes it
  local,          ///< private to the invocation
  own,            ///< each invocation has slots of its own
  group,          ///< slots of a workgroup's, written and read in phases
  shared_atomic,  ///< anybody adds to it; seen by the host, or by the workgroup after a barrier
};

struct Memory {
  BufferId id = kNone<BufferId>;
  Role role = Role::readable;
  Space space = Space::storage;
  std::uint32_t slots = 1;          ///< own, group: elements of the slot array an invocation has
  bool writing = false;             ///< group, shared_atomic: the phase
  AtomicOp family = AtomicOp::add;  ///< shared_atomic: the one operation used on it
};

struct Value {
  ExprId expr = kNone<ExprId>;
  ScalarType type = ScalarType::u32;
  bool uniform = false;
};

struct Context {
  Assembler& out;
  Choices& choices;
  const FuzzOptions& options;
  std::array<std::uint32_t, 3> workgroup = {1, 1, 1};
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::vector<Memory> memories = {};
  std::vector<Value> values = {};  ///< in scope
  std::vector<VarId> vars = {};    ///< in scope

  [[nodiscard]] std::uint32_t group_size() const {
    return workgroup[0] * workgroup[1] * workgroup[2];
  }
  [[nodiscard]] std::uint32_t invocations() const {
    return group_size() * grid[0] * grid[1] * grid[2];
  }
};

/// Forgets at the end of a block what it made visible.
class VisibleInBlock {
 public:
  explicit VisibleInBlock(Context& context)
      : context_(context), values_(context.values.size()), vars_(context.vars.size()) {}
  VisibleInBlock(const VisibleInBlock&) = delete;
  VisibleInBlock& operator=(const VisibleInBlock&) = delete;
  ~VisibleInBlock() {
    context_.values.resize(values_);
    context_.vars.resize(vars_);
  }

 private:
  Context& context_;
  std::size_t values_;
  std::size_t vars_;
};

}  // namespace vyre::test
