// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/invocation.h"

#include <algorithm>
#include <cstring>
#include <variant>

#include "base/check.h"
#include "ir/visit.h"

namespace vyre::interpreter {
namespace {

std::uint64_t count_of(const Program& program, std::size_t buffer, const RunInputs& inputs) {
  const BufferDecl& decl = program.buffers[buffer];
  const bool supplied = decl.space == Space::storage || decl.space == Space::uniform;
  if (supplied && buffer < inputs.buffers.size() && runtime_array(program, decl))
    return inputs.buffers[buffer].count;
  return static_count(program, decl);
}

}  // namespace

RunState::RunState(const Program& of, const RunInputs& with)
    : program(of), inputs(with), addresses(of.stmts.size()), steps_left(with.max_steps) {
  for (std::size_t i = 0; i < program.stmts.size(); ++i)
    if (const MemoryRef* ref = memory_of(program.stmts[i])) {
      auto address = resolve(program, *ref);
      VYRE_CHECK(address.has_value());
      addresses[i] = *std::move(address);
    }
  constants_.resize(program.buffers.size());
  memory.bytes.resize(program.buffers.size());
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    memory.counts.push_back(count_of(program, i, inputs));
    const auto words = std::as_bytes(std::span(buffer.words));
    if (buffer.space == Space::constant) {
      constants_[i].assign(words.begin(), words.end());
      memory.bytes[i] = constants_[i];
    } else if (i < inputs.buffers.size()) {
      memory.bytes[i] = inputs.buffers[i].bytes;
    }
  }
}

Invocation::Invocation(RunState& run)
    : run_(run),
      evaluator_(run.program, run.inputs, run.memory.counts),
      place_(run.program),
      memory_(run.memory),
      local_(run.program, Space::local) {
  local_.show(memory_);
}

void Invocation::start(const InvocationIds& ids, SpaceBytes& workgroup) {
  evaluator_.start(ids);
  place_.start();
  local_.zero();
  workgroup.show(memory_);
  state_ = State::running;
}

void Invocation::run(std::uint64_t steps) {
  while (state_ == State::running && steps-- > 0 && run_.steps_left > 0) {
    --run_.steps_left;
    if (place_.empty())
      state_ = State::ended;
    else if (const auto id = place_.next())
      run(*id);
    else
      at_block_end();
  }
}

void Invocation::run(StmtId id) {
  current_ = id;
  std::visit(overloaded{
                 [&](const Let& s) { bind(s.result, evaluator_.value(s.value)); },
                 [&](const Var& s) {
                   evaluator_.set(s.var, s.init == kNone<ExprId> ? 0 : evaluator_.value(s.init));
                 },
                 [&](const Get& s) { bind(s.result, evaluator_.variable(s.var)); },
                 [&](const Set& s) { evaluator_.set(s.var, evaluator_.value(s.value)); },
                 [&](const Load& s) { load(s.first, s.from); },
                 [&](const Scope& s) { place_.enter(id, s.body); },
                 [&](const Leave& s) { place_.leave(s.target); },
                 [&](const Break&) { place_.break_out(); },
                 [&](const Continue&) { place_.continue_loop(); },
                 [&](const Return&) { place_.clear(); },
                 [&](const Barrier&) { wait(id); },
                 [&](const UniformLoad&) { wait(id); },
                 [&](const Subgroup&) { wait(id); },
                 [&](const auto& s) { execute(s); },
             },
             run_.program[id]);
}

void Invocation::wait(StmtId id) {
  state_ = State::waiting;
  waits_at_ = id;
}

/// After the last statement of a block: a loop goes on, any other statement is done.
void Invocation::at_block_end() {
  const StmtId owner = place_.owner();
  const Loop* loop = owner == kNone<StmtId> ? nullptr : std::get_if<Loop>(&run_.program[owner]);
  if (loop == nullptr) return place_.leave_block();
  if (loop->continuing != kNone<BlockId> && !place_.in_continuing())
    return place_.enter_continuing(loop->continuing);
  const bool leaves = loop->break_if != kNone<ExprId> && evaluator_.holds(loop->break_if);
  leaves ? place_.leave_block() : place_.iterate(loop->body);
}

void Invocation::execute(const If& s) {
  if (evaluator_.holds(s.condition))
    place_.enter(current_, s.then_block, 0);
  else if (s.else_block != kNone<BlockId>)
    place_.enter(current_, s.else_block, 1);
}

void Invocation::execute(const Switch& s) {
  const std::uint64_t selector = evaluator_.value(s.selector);
  const auto chosen = std::find_if(s.cases.begin(), s.cases.end(), [&](const Case& c) {
    return std::find(c.values.begin(), c.values.end(), selector) != c.values.end();
  });
  const BlockId block = chosen == s.cases.end() ? s.default_block : chosen->block;
  place_.enter(current_, block, static_cast<std::uint32_t>(chosen - s.cases.begin()));
}

void Invocation::execute(const Loop& s) {
  place_.enter(current_, s.body);
}

void Invocation::execute(const Trap& s) {
  TrapSummary& trap = run_.report.trap;
  if (trap.count++ == 0) {
    trap.tag = s.tag;
    trap.value = static_cast<std::uint32_t>(evaluator_.value(s.value));
    trap.invocation = evaluator_.linear_global_id();
  }
  place_.clear();
}

void Invocation::load(ValueId first, const MemoryRef& from) {
  const StmtId at = state_ == State::waiting ? waits_at_ : current_;
  current_ = at;
  const ScalarType type = run_.addresses[index(at)].scalar;
  for (std::uint32_t k = 0; k < from.count; ++k) {
    const std::byte* place = element(from, k);
    bind(static_cast<ValueId>(index(first) + k), place == nullptr ? 0 : read_element(type, place));
  }
}

void Invocation::execute(const Store& s) {
  const ScalarType type = run_.addresses[index(current_)].scalar;
  for (std::uint32_t k = 0; k < s.to.count; ++k)
    if (std::byte* place = element(s.to, k))
      write_element(type, place, evaluator_.value(s.values[k]));
}

void Invocation::execute(const Atomic& s) {
  const ScalarType type = run_.addresses[index(current_)].scalar;
  std::byte* place = element(s.on, 0);
  if (place == nullptr) return bind(s.result, 0);
  const std::uint64_t old = read_element(type, place);
  const auto operand = [&](ExprId id) { return id == kNone<ExprId> ? 0 : evaluator_.value(id); };
  write_element(type, place, updated_word(s.op, type, old, operand(s.value), operand(s.comparand)));
  bind(s.result, old);
}

std::byte* Invocation::element(const MemoryRef& ref, std::uint32_t k) const {
  const Address& address = run_.addresses[index(current_)];
  std::array<std::uint32_t, 16> few;
  std::vector<std::uint32_t> many;
  std::span<std::uint32_t> indices = few;
  if (address.levels.size() > few.size()) {
    many.resize(address.levels.size());
    indices = many;
  }
  indices = indices.first(address.levels.size());
  for (std::size_t i = 0; i < indices.size(); ++i)
    indices[i] = static_cast<std::uint32_t>(evaluator_.value(address.levels[i].index));
  const std::size_t buffer = index(ref.buffer);
  const auto offset = offset_of(address, indices, k, run_.memory.counts[buffer]);
  if (!offset) return nullptr;
  const std::span<std::byte> bytes = memory_.bytes[buffer];
  VYRE_CHECK(*offset + info(address.scalar).bytes <= bytes.size());
  return bytes.data() + *offset;
}

}  // namespace vyre::interpreter
