// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "fuzz/context.h"
#include "fuzz/expressions.h"
#include "fuzz/memories.h"

/// Random statements: what may stand where it stands, with what is visible there.
namespace vyre::test {

class Statements {
 public:
  Statements(Context& context, Expressions& expressions, Memories& memories)
      : c_(context), e_(expressions), m_(memories), left_(context.options.statements) {}

  /// The body of the program.
  void body();
  /// Operations to be judged; they are stored to slots that `store_probes` fills.
  [[nodiscard]] const std::vector<Probe>& probes() const { return probes_; }
  void set_probe_buffer(BufferId buffer, std::uint32_t stride) {
    probe_buffer_ = buffer;
    probe_stride_ = stride;
  }

 private:
  /// Where statements stand.
  struct Place {
    bool uniform = false;         ///< all invocations of the workgroup come here together
    bool keeps_together = false;  ///< inside a uniform loop: nobody may leave it alone
    bool can_break = false;
    bool can_continue = false;
    std::uint32_t depth = 0;
    std::vector<BlockId> scopes = {};
  };
  enum class Next : std::uint8_t { falls_through, jumps };

  Next statement(const Place& place);
  Next simple(const Place& place);
  Next block(const Place& place, std::uint32_t likely);
  BlockId nested(Place place);
  std::vector<bool> phases() const;
  void restore_phases(const std::vector<bool>& before);

  void store_to_sink();
  void bind(const Place& place);
  void mutate();
  void load(const Place& place);
  void load_from(const Spot& spot, bool uniform);
  void store();
  void own_atomic(const Spot& spot);
  void shared_atomic();
  void barrier(const Place& place);
  void probe();
  void trap();
  Next jump(const Place& place);
  void branch(const Place& place);
  void choose(const Place& place);
  BlockId rounds(const Place& inside, VarId counter, ExprId limit, bool tests_first);
  std::pair<BlockId, ExprId> count_round(const Place& inside, VarId counter, ExprId limit);
  void loop(const Place& place);
  void scope(const Place& place);
  void tower(const Place& place);
  void add_value(ExprId expr, bool uniform);
  ExprId probe_operand();

  Context& c_;
  Expressions& e_;
  Memories& m_;
  std::uint32_t left_;
  bool diverged_ = false;  ///< somebody may have ended: no barrier may follow
  std::vector<Probe> probes_;
  BufferId probe_buffer_ = kNone<BufferId>;
  std::uint32_t probe_stride_ = 0;
};

}  // namespace vyre::test
