// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/statements.h"

#include <span>

namespace vyre::test {
namespace {

constexpr AtomicOp kAtomics[] = {AtomicOp::add,    AtomicOp::sub,      AtomicOp::bit_and,
                                 AtomicOp::bit_or, AtomicOp::bit_xor,  AtomicOp::min,
                                 AtomicOp::max,    AtomicOp::exchange, AtomicOp::compare_exchange,
                                 AtomicOp::load,   AtomicOp::store};
constexpr Op kProbed[] = {
    Op::div,        Op::rem,   Op::fma,   Op::sqrt,  Op::inverse_sqrt, Op::fract,   Op::exp,
    Op::exp2,       Op::log,   Op::log2,  Op::pow,   Op::sin,          Op::cos,     Op::tan,
    Op::asin,       Op::acos,  Op::atan,  Op::atan2, Op::sinh,         Op::cosh,    Op::tanh,
    Op::asinh,      Op::acosh, Op::atanh, Op::ldexp, Op::mix,          Op::degrees, Op::radians,
    Op::smoothstep, Op::add,   Op::sub,   Op::mul};

}  // namespace

// -------------------------------------------------------------------------------------- blocks

/// Statements until chance or the budget ends the block.
Statements::Next Statements::block(const Place& place, std::uint32_t likely) {
  const VisibleInBlock visible(c_);
  while (left_ > 0 && c_.choices.below(likely) != 0) {
    --left_;
    if (statement(place) == Next::jumps) return Next::jumps;
  }
  return Next::falls_through;
}

std::vector<bool> Statements::phases() const {
  std::vector<bool> result;
  for (const Memory& m : c_.memories)
    result.push_back(m.writing);
  return result;
}

/// Phases are a matter of position, so each way to a position must end in the same ones.
void Statements::restore_phases(const std::vector<bool>& before) {
  if (phases() == before) return;
  c_.out.barrier(true, true);
  for (std::size_t i = 0; i < before.size(); ++i)
    c_.memories[i].writing = before[i];
}

BlockId Statements::nested(Place place) {
  ++place.depth;
  const std::vector<bool> before = phases();
  const BlockId id = c_.out.open();
  block(place, place.depth > 4 ? 3 : 6);
  restore_phases(before);
  c_.out.close();
  return id;
}

void Statements::body() {
  Place place;
  place.uniform = true;
  while (left_ > 0 && c_.choices.below(50) != 0) {
    --left_;
    if (statement(place) == Next::jumps) return;
  }
  store_to_sink();
}

Statements::Next Statements::statement(const Place& place) {
  const std::uint32_t kind = c_.choices.below(24);
  if (kind == 23) return jump(place);
  if (place.depth > 8 || kind < 15) return simple(place);
  if (kind < 18) branch(place);
  if (kind == 18) choose(place);
  if (kind == 19 || kind == 20) loop(place);
  if (kind == 21) scope(place);
  if (kind == 22) barrier(place);
  return Next::falls_through;
}

Statements::Next Statements::simple(const Place& place) {
  const std::uint32_t kind = c_.choices.below(17);
  if (kind < 3) store_to_sink();
  if (kind == 3 || kind == 4) bind(place);
  if (kind == 5 || kind == 6) mutate();
  if (kind >= 7 && kind <= 9) load(place);
  if (kind >= 10 && kind <= 12) store();
  if (kind == 13) shared_atomic();
  if (kind == 14) probe();
  if (kind == 15) barrier(place);
  if (kind == 16) {
    if (c_.choices.chance(10)) tower(place);
    if (c_.options.traps && c_.choices.chance(10)) trap();
  }
  return Next::falls_through;
}

// -------------------------------------------------------------------------- simple statements

void Statements::add_value(ExprId expr, bool uniform) {
  c_.values.push_back({expr, c_.out.type(expr), uniform});
}

void Statements::store_to_sink() {
  Spot spot;
  spot.ref.buffer = m_.sink().id;
  const ExprId slots = c_.out.u32(m_.sink().slots);
  const ExprId base = c_.out.op(Op::mul, {e_.invocation(), slots});
  spot.ref.path.push_back({.index = c_.out.op(Op::add, {base, e_.below(m_.sink().slots)})});
  c_.out.store(spot.ref, e_.make(ScalarType::u32, false, 4));
}

void Statements::bind(const Place& place) {
  const bool uniform = place.uniform && c_.choices.chance(30);
  add_value(c_.out.let(e_.make(e_.any_type(), uniform, 4)), uniform);
}

void Statements::mutate() {
  if (c_.vars.empty() || c_.choices.chance(40)) {
    const ScalarType type = e_.any_type();
    const ExprId init = c_.choices.chance(70) ? e_.make(type) : kNone<ExprId>;
    c_.vars.push_back(c_.out.var(type, init));
    return;
  }
  const VarId var = c_.choices.pick(c_.vars);
  c_.out.set(var, e_.make(c_.out.type(var)));
}

void Statements::load_from(const Spot& spot, bool uniform) {
  if (spot.atomic) return add_value(c_.out.atomic(AtomicOp::load, spot.ref), false);
  for (const ExprId value : c_.out.load_all(spot.ref))
    add_value(spot.type == ScalarType::f32 ? e_.tame(value) : value, uniform);
}

void Statements::load(const Place& place) {
  const bool uniform = place.uniform && c_.choices.chance(30);
  if (place.uniform && !diverged_ && c_.choices.chance(10)) {
    if (const auto spot = m_.uniform_loadable())
      for (const ExprId value : c_.out.uniform_load(spot->ref))
        add_value(spot->type == ScalarType::f32 ? e_.tame(value) : value, true);
    return;
  }
  if (const auto spot = m_.readable(uniform)) load_from(*spot, uniform);
}

void Statements::own_atomic(const Spot& spot) {
  const AtomicOp op = c_.choices.pick(std::span<const AtomicOp>(kAtomics));
  const ExprId value = op == AtomicOp::load ? kNone<ExprId> : e_.make(spot.type);
  const ExprId comparand = op == AtomicOp::compare_exchange ? e_.make(spot.type) : kNone<ExprId>;
  add_value(c_.out.atomic(op, spot.ref, value, comparand), false);
}

void Statements::store() {
  const auto spot = m_.writable();
  if (!spot) return;
  if (spot->atomic) return own_atomic(*spot);
  std::vector<ExprId> values;
  for (std::uint8_t i = 0; i < spot->ref.count; ++i)
    values.push_back(e_.make(spot->type));
  c_.out.store_all(spot->ref, values);
}

void Statements::shared_atomic() {
  if (const auto found = m_.shared_atomic())
    c_.out.atomic(found->second, found->first.ref, e_.make(found->first.type));
}

void Statements::barrier(const Place& place) {
  if (!place.uniform || diverged_) return;
  const std::uint32_t kind = c_.choices.below(3);
  c_.out.barrier(kind != 1, kind != 0);
  m_.change_phases(kind != 1, kind != 0);
}

ExprId Statements::probe_operand() {
  if (c_.choices.chance(50)) return c_.out.let(e_.make(ScalarType::f32));
  // Ordinary numbers, where the bounds are tight.
  const ExprId number = c_.out.convert(ScalarType::f32, e_.below(10000));
  constexpr float kScales[] = {0.001f, 0.00031f, -0.01f, 1.5f};
  const float scale = c_.choices.pick(std::span<const float>(kScales));
  if (!c_.options.float_arithmetic) return c_.out.let(number);
  return c_.out.let(c_.out.op(Op::mul, {number, c_.out.f32(scale)}));
}

void Statements::probe() {
  Assembler& out = c_.out;
  if (probe_stride_ < 5 * (probes_.size() + 1)) return;
  const std::size_t skipped = c_.options.float_arithmetic ? 3 : 0;
  const Op op = c_.choices.pick(std::span<const Op>(kProbed, std::size(kProbed) - skipped));
  const Probe probe = {op, static_cast<std::uint32_t>(5 * probes_.size())};
  std::vector<ExprId> operands;
  std::vector<ExprId> words = {out.f32(1)};
  for (std::uint8_t i = 0; i < info(op).arity; ++i) {
    const bool scale = op == Op::ldexp && i == 1;
    operands.push_back(
        scale ? out.op(Op::sub, {out.bitcast(ScalarType::i32, e_.below(400)), out.i32(200)})
              : probe_operand());
    words.push_back(out.convert(ScalarType::f32, operands.back()));
  }
  words.resize(4, out.f32(0));
  words.push_back(out.op(op, operands, ScalarType::f32));
  const ExprId base = out.op(Op::mul, {e_.invocation(), out.u32(probe_stride_)});
  for (std::uint32_t i = 0; i < words.size(); ++i)
    out.store({.buffer = probe_buffer_,
               .path = {{.index = out.op(Op::add, {base, out.u32(probe.slot + i)})}}},
              words[i]);
  probes_.push_back(probe);
}

void Statements::trap() {
  Assembler& out = c_.out;
  const ExprId condition = out.op(
      Op::eq, {out.op(Op::bit_and, {e_.make(ScalarType::u32), out.u32(0xff)}), out.u32(0x35)});
  const BlockId then = out.open();
  out.trap(out.trap_tag("fault " + std::to_string(c_.choices.below(3))), e_.make(ScalarType::u32));
  out.close();
  out.if_(condition, then);
}

// --------------------------------------------------------------------------------------- control

Statements::Next Statements::jump(const Place& place) {
  const std::uint32_t kind = c_.choices.below(4);
  if (place.depth == 0) return Next::falls_through;
  if (kind == 0 && place.can_break) return c_.out.break_(), Next::jumps;
  if (kind == 1 && place.can_continue) return c_.out.continue_(), Next::jumps;
  if (place.keeps_together) return Next::falls_through;
  if (kind == 2 && !place.scopes.empty()) {
    c_.out.leave(c_.choices.pick(place.scopes));
    return diverged_ = true, Next::jumps;
  }
  if (kind == 3 && c_.choices.chance(50)) {
    c_.out.return_();
    return diverged_ = true, Next::jumps;
  }
  return Next::falls_through;
}

void Statements::branch(const Place& place) {
  Place inside = place;
  inside.uniform = place.uniform && c_.choices.chance(50);
  inside.keeps_together = place.keeps_together || inside.uniform;
  const ExprId condition = e_.make(ScalarType::boolean, inside.uniform);
  const BlockId then = nested(inside);
  c_.out.if_(condition, then, c_.choices.chance(40) ? nested(inside) : kNone<BlockId>);
}

void Statements::choose(const Place& place) {
  const ScalarType type = c_.choices.below(2) == 0 ? ScalarType::u32 : ScalarType::i32;
  Place inside = place;
  inside.uniform = place.uniform && c_.choices.chance(30);
  inside.can_break = !inside.uniform;
  inside.keeps_together = place.keeps_together || inside.uniform;
  ExprId selector = e_.make(type, inside.uniform);
  if (c_.choices.chance(70)) {
    const ExprId mask = c_.out.constant(type, 3);
    selector = c_.out.op(Op::bit_and, {selector, mask});
  }
  std::vector<Case> cases;
  std::uint32_t next = c_.choices.below(2);
  for (std::uint32_t n = c_.choices.below(4); n > 0; --n) {
    Case one = {{next++}, kNone<BlockId>};
    if (c_.choices.chance(30)) one.values.push_back(next++);
    if (c_.choices.chance(10)) one.values.push_back(0xffffffff - next);
    one.block = nested(inside);
    cases.push_back(std::move(one));
  }
  c_.out.switch_(selector, std::move(cases), nested(inside));
}

/// The body of a loop of at most three rounds.
BlockId Statements::rounds(const Place& inside, VarId counter, ExprId limit, bool tests_first) {
  Assembler& out = c_.out;
  const VisibleInBlock visible(c_);
  const std::vector<bool> before = phases();
  const BlockId body = out.open();
  const ExprId round = out.get(counter);
  if (tests_first) {
    const BlockId then = out.open();
    out.break_();
    out.close();
    out.if_(out.op(Op::ge, {round, limit}), then);
  }
  add_value(round, false);
  if (block(inside, 6) == Next::falls_through) restore_phases(before);
  out.close();
  return body;
}

/// Counts, and gives the condition to stop.
std::pair<BlockId, ExprId> Statements::count_round(const Place& inside,
                                                   VarId counter,
                                                   ExprId limit) {
  Assembler& out = c_.out;
  const VisibleInBlock visible(c_);
  const BlockId block = out.open();
  if (c_.choices.chance(30)) mutate();
  const ExprId following = out.op(Op::add, {out.get(counter), out.u32(1)});
  out.set(counter, following);
  ExprId stop = out.op(Op::ge, {following, limit});
  if (!inside.uniform && c_.choices.chance(30))
    stop = out.op(Op::logical_or, {stop, e_.make(ScalarType::boolean)});
  out.close();
  return {block, stop};
}

void Statements::loop(const Place& place) {
  Place inside = place;
  ++inside.depth;
  inside.uniform = place.uniform && !diverged_ && c_.choices.chance(40);
  inside.keeps_together = place.keeps_together || inside.uniform;
  inside.can_break = inside.can_continue = !inside.uniform;
  const bool tests_first = c_.choices.below(2) == 0;
  // Lowering may write loops of a known number of rounds round by round.
  const ExprId limit = c_.choices.chance(40) ? c_.out.u32(c_.choices.below(4))
                                             : c_.out.let(e_.below(4, inside.uniform));
  const VarId counter = c_.out.var(ScalarType::u32, c_.out.u32(0));
  const BlockId body = rounds(inside, counter, limit, tests_first);
  const auto [continuing, stop] = count_round(inside, counter, limit);
  const bool tests_last = !tests_first || c_.choices.below(2) != 0;
  c_.out.loop(body, continuing, tests_last ? stop : kNone<ExprId>);
}

void Statements::scope(const Place& place) {
  Place inside = place;
  ++inside.depth;
  inside.uniform = place.uniform && c_.choices.chance(50);
  inside.keeps_together = place.keeps_together || inside.uniform;
  const std::vector<bool> before = phases();
  const BlockId body = c_.out.open();
  if (!inside.keeps_together) inside.scopes.push_back(body);
  block(inside, 6);
  restore_phases(before);
  c_.out.close();
  c_.out.scope(body);
}

/// Ifs and scopes, nested as deep as the options say.
void Statements::tower(const Place& place) {
  Place inside = place;
  inside.uniform = false;
  inside.depth += 6;
  const std::uint32_t height = 1 + c_.choices.below(c_.options.nesting);
  std::vector<std::pair<BlockId, ExprId>> levels;
  for (std::uint32_t i = 0; i < height; ++i) {
    const bool branches = c_.choices.below(3) != 0;
    const ExprId condition = branches ? e_.make(ScalarType::boolean, false, 1) : kNone<ExprId>;
    levels.emplace_back(c_.out.open(), condition);
  }
  block(inside, 3);
  store_to_sink();
  while (!levels.empty()) {
    const auto [id, condition] = levels.back();
    levels.pop_back();
    c_.out.close();
    if (condition == kNone<ExprId>)
      c_.out.scope(id);
    else
      c_.out.if_(condition, id);
  }
}

}  // namespace vyre::test
