// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/memories.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "ir/layout.h"

namespace vyre::test {
namespace {

constexpr ScalarType kNarrowTypes[] = {ScalarType::u8, ScalarType::i8, ScalarType::u16,
                                       ScalarType::i16, ScalarType::half};
constexpr AtomicOp kFamilies[] = {AtomicOp::add,     AtomicOp::bit_and, AtomicOp::bit_or,
                                  AtomicOp::bit_xor, AtomicOp::min,     AtomicOp::max,
                                  AtomicOp::sub};
constexpr std::uint32_t kMaxElementBytes = 128;
/// Two memories of 256 elements fit into what every device has.
constexpr std::uint32_t kMaxWorkgroupElementBytes = 60;

}  // namespace

// ------------------------------------------------------------------------------- declarations

LayoutId Memories::structure(bool atomics, int depth) {
  std::vector<Assembler::MemberDecl> members;
  const std::uint32_t count = 1 + c_.choices.below(4);
  for (std::uint32_t i = 0; i < count; ++i)
    members.push_back({"m" + std::to_string(i), element(atomics, depth)});
  return c_.out.structure("S" + std::to_string(names_++), members);
}

LayoutId Memories::element(bool atomics, int depth) {
  Assembler& out = c_.out;
  const ScalarType type = e_.any_number();
  const std::uint32_t kind = c_.choices.below(depth > 0 ? 7 : 3);
  LayoutId result = out.scalar(type);
  if (kind == 1) result = out.vector(type, static_cast<std::uint8_t>(2 + c_.choices.below(3)));
  if (kind == 2 && atomics && (type == ScalarType::u32 || type == ScalarType::i32))
    result = out.atomic(type);
  if (kind == 3) result = out.array(element(atomics, depth - 1), 1 + c_.choices.below(4));
  if (kind == 4 || kind == 5) result = structure(atomics, depth - 1);
  if (kind == 6) {
    const auto columns = static_cast<std::uint8_t>(2 + c_.choices.below(3));
    result =
        out.matrix(ScalarType::f32, columns, static_cast<std::uint8_t>(2 + c_.choices.below(3)));
  }
  return out[result].size <= kMaxElementBytes ? result : out.scalar(type);
}

/// Booleans, or in storage memory narrow elements too.
LayoutId Memories::odd_root(Space space, std::uint32_t count) {
  const bool narrow = space == Space::storage && c_.choices.below(6) != 0;
  const ScalarType type =
      narrow ? c_.choices.pick(std::span<const ScalarType>(kNarrowTypes)) : ScalarType::boolean;
  return c_.out.array(c_.out.scalar(type), count);
}

/// An array of elements, or a struct that ends in one.
LayoutId Memories::root(Space space, bool runtime, bool atomics, std::uint32_t count) {
  if (c_.choices.chance(30)) return odd_root(space, runtime ? 0 : count);
  if (!runtime || c_.choices.chance(70)) {
    LayoutId item = element(atomics, 2);
    if (space == Space::workgroup && c_.out[item].size > kMaxWorkgroupElementBytes)
      item = c_.out.scalar(e_.any_number());
    return c_.out.array(item, runtime ? 0 : count);
  }
  std::vector<Assembler::MemberDecl> members = {{"head", element(false, 1)}};
  if (c_.choices.chance(50)) members.push_back({"more", element(false, 1)});
  members.push_back({"tail", c_.out.array(element(atomics, 2), 0)});
  return c_.out.structure("S" + std::to_string(names_++), members);
}

/// Uniform memory wants strides of 16.
LayoutId Memories::uniform_layout() {
  std::vector<Assembler::MemberDecl> members;
  const std::uint32_t count = 1 + c_.choices.below(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    const ScalarType type = e_.any_number();
    LayoutId layout = c_.out.scalar(type);
    const std::uint32_t kind = c_.choices.below(3);
    if (kind == 1) layout = c_.out.vector(type, static_cast<std::uint8_t>(2 + c_.choices.below(3)));
    if (kind == 2) layout = c_.out.array(c_.out.vector(type, 4), 1 + c_.choices.below(5));
    members.push_back(
        {"m" + std::to_string(i), layout, kind == 2 ? std::max(c_.out[layout].align, 16u) : 0u});
  }
  return c_.out.structure("S" + std::to_string(names_++), members);
}

std::uint32_t Memories::static_count(std::uint32_t slots) {
  const std::uint32_t counts[] = {slots, 1, 5, 31, std::max(slots / 2, 1u)};
  return c_.choices.pick(std::span<const std::uint32_t>(counts));
}

void Memories::add(Memory memory, LayoutId layout, Access access) {
  const auto number = static_cast<std::uint32_t>(c_.memories.size());
  memory.id = c_.out.buffer({.name = "b" + std::to_string(number),
                             .group = number % 2,
                             .binding = number,
                             .space = memory.space,
                             .access = access,
                             .layout = layout});
  c_.memories.push_back(memory);
}

void Memories::add_host_memories() {
  for (std::uint32_t n = c_.choices.below(3); n > 0; --n)
    add({.role = Role::readable},
        root(Space::storage, c_.choices.chance(60), false, static_count(31)));
  if (c_.choices.chance(40))
    add({.role = Role::readable, .space = Space::uniform}, uniform_layout());
  constexpr Access kWritten[] = {Access::output, Access::in_out, Access::in_out, Access::scratch};
  for (std::uint32_t n = c_.choices.below(3); n > 0; --n) {
    const Memory memory = {.role = Role::own, .slots = 1 + c_.choices.below(4)};
    const Access access = c_.choices.pick(std::span<const Access>(kWritten));
    const bool runtime = access != Access::scratch && c_.choices.chance(60);
    add(memory, root(Space::storage, runtime, true, static_count(memory.slots * c_.invocations())),
        access);
  }
}

void Memories::add_private_memories() {
  for (std::uint32_t n = c_.choices.below(2); n > 0; --n)
    add({.role = Role::local, .space = Space::local},
        root(Space::local, false, false, 1 + c_.choices.below(9)));
  if (c_.choices.chance(25)) add_constant();
}

void Memories::add_constant() {
  Assembler& out = c_.out;
  const ScalarType type = e_.any_number();
  const LayoutId item = c_.choices.chance(30) ? out.vector(type, 4) : out.scalar(type);
  add({.role = Role::readable, .space = Space::constant},
      out.array(item, 1 + c_.choices.below(90)));
  BufferDecl& buffer = out.edit(c_.memories.back().id);
  const std::uint64_t words = out[buffer.layout].size / 4;
  for (std::uint64_t i = 0; i < words; ++i)
    buffer.words.push_back(static_cast<std::uint32_t>(i * 0x10000003u));
}

void Memories::add_shared_memories() {
  for (std::uint32_t n = c_.choices.below(3); n > 0; --n) {
    const Memory memory = {.role = Role::group,
                           .space = Space::workgroup,
                           .slots = 1 + c_.choices.below(2),
                           .writing = c_.choices.chance(70)};
    add(memory, root(Space::workgroup, false, false, static_count(memory.slots * c_.group_size())));
  }
  if (c_.choices.chance(20)) {
    const Memory memory = {.role = Role::group, .slots = 1 + c_.choices.below(3), .writing = true};
    add(memory, root(Space::storage, true, false, 0), Access::in_out);
  }
  for (const Space space : {Space::storage, Space::workgroup}) {
    if (!c_.choices.chance(25)) continue;
    const ScalarType type = c_.choices.below(2) == 0 ? ScalarType::u32 : ScalarType::i32;
    LayoutId item = c_.out.atomic(type);
    const Assembler::MemberDecl pair[] = {{"plain", c_.out.scalar(type)}, {"counter", item}};
    if (c_.choices.chance(30)) item = c_.out.structure("S" + std::to_string(names_++), pair);
    const bool runtime = space == Space::storage && c_.choices.chance(50);
    add({.role = Role::shared_atomic,
         .space = space,
         .writing = true,
         .family = c_.choices.pick(std::span<const AtomicOp>(kFamilies))},
        c_.out.array(item, runtime ? 0 : 1 + c_.choices.below(20)), Access::in_out);
  }
}

void Memories::declare() {
  add({.role = Role::own, .slots = 4}, c_.out.array(c_.out.scalar(ScalarType::u32), 0),
      Access::output);
  add_host_memories();
  add_private_memories();
  add_shared_memories();
}

BufferId Memories::declare_probe(std::uint32_t words_per_invocation) {
  const Memory memory = {.role = Role::own, .slots = words_per_invocation};
  const std::uint32_t words = std::max(words_per_invocation, 1u) * c_.invocations();
  add(memory, c_.out.array(c_.out.scalar(ScalarType::f32), words), Access::output);
  const BufferId id = c_.memories.back().id;
  c_.memories.pop_back();  // nothing else may write it
  return id;
}

// -------------------------------------------------------------------------------------- places

/// Mostly within `count`; 0: unknown.
ExprId Memories::any_index(std::uint32_t count, bool uniform) {
  const std::uint32_t kind = c_.choices.below(8);
  if (kind < 5) return e_.below(count != 0 ? count : 31, uniform);
  if (kind == 5) return c_.out.u32(count);
  return e_.make(ScalarType::u32, uniform, 2);
}

/// The index of the first of `count` slots; beyond all slots now and then.
ExprId Memories::slot(const Memory& m, Use use, std::uint32_t count) {
  Assembler& out = c_.out;
  const std::uint32_t group_slots = m.slots * c_.group_size();
  const bool by_group = m.role == Role::group;
  ExprId base = by_group ? out.builtin(Builtin::local_index) : e_.invocation();
  ExprId within = e_.below(m.slots - count + 1);
  if (by_group && use == Use::read && !m.writing) {
    base = out.u32(0);
    within = e_.below(group_slots - count + 1);
  }
  ExprId index = out.op(Op::add, {out.op(Op::mul, {base, out.u32(m.slots)}), within});
  if (by_group && m.space == Space::storage)
    index = out.op(Op::add, {index, out.op(Op::mul, {e_.workgroup(), out.u32(group_slots)})});
  if (c_.choices.chance(4)) index = out.op(Op::add, {index, out.u32(0x40000000)});
  if (count == 1 && c_.choices.chance(4)) index = out.op(Op::bit_not, {index});
  return index;
}

void Memories::finish_vector(Spot& spot, const Layout& layout, bool uniform) {
  const std::uint32_t kind = c_.choices.below(4);
  if (kind == 3) {
    spot.ref.path.push_back({.index = any_index(layout.width, uniform)});
    return;
  }
  spot.ref.first = static_cast<std::uint8_t>(kind == 2 ? c_.choices.below(layout.width) : 0);
  const std::uint32_t rest = layout.width - spot.ref.first;
  spot.ref.count = static_cast<std::uint8_t>(kind == 0 ? rest : 1 + c_.choices.below(rest));
}

Spot Memories::spot(const Memory& m, Use use, bool uniform) {
  Spot result;
  result.ref.buffer = m.id;
  LayoutId at = c_.out.edit(m.id).layout;
  const bool slotted = m.role == Role::own || m.role == Role::group;
  bool at_root = true;
  while (true) {
    const Layout here = c_.out[at];
    if (here.kind == LayoutKind::structure) {
      const auto last = static_cast<std::uint32_t>(here.members.size() - 1);
      const bool forced =
          (at_root && slotted && use == Use::write) || m.role == Role::shared_atomic;
      const std::uint32_t member = forced ? last : c_.choices.below(last + 1);
      result.ref.path.push_back({.kind = Step::Kind::member, .member = member});
      at = here.members[member].layout;
      if (at_root && slotted && member == last) continue;  // its array is the slot array
    } else if (here.kind == LayoutKind::array) {
      std::uint32_t count = 1;
      const bool slots = at_root && slotted;
      if (c_.out[here.element].kind == LayoutKind::scalar && here.count != 1 &&
          result.ref.path.empty())
        count = 1 + c_.choices.below(std::min(slots ? m.slots : 4u, 4u));
      result.ref.path.push_back(
          {.index = slots && !(use == Use::read && m.role == Role::group && !m.writing &&
                               m.space == Space::workgroup && c_.choices.chance(50))
                        ? slot(m, use, count)
                        : any_index(here.count, uniform)});
      result.ref.count = static_cast<std::uint8_t>(count);
      at = here.element;
    } else {
      result.type = info(here.scalar).widened;
      result.atomic = here.kind == LayoutKind::atomic;
      if (here.kind == LayoutKind::vector) finish_vector(result, here, uniform);
      return result;
    }
    at_root = false;
  }
}

std::optional<Spot> Memories::readable(bool uniform) {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < c_.memories.size(); ++i) {
    const Memory& m = c_.memories[i];
    const bool all = m.role == Role::readable;
    const bool now = m.role != Role::shared_atomic || (!m.writing && m.space == Space::workgroup);
    if (uniform ? all : now) candidates.push_back(i);
  }
  if (candidates.empty()) return std::nullopt;
  return spot(c_.memories[c_.choices.pick(candidates)], Use::read, uniform);
}

std::optional<Spot> Memories::writable() {
  std::vector<std::uint32_t> candidates;
  for (std::uint32_t i = 0; i < c_.memories.size(); ++i) {
    const Memory& m = c_.memories[i];
    if (m.role == Role::own || m.role == Role::local || (m.role == Role::group && m.writing))
      candidates.push_back(i);
  }
  return spot(c_.memories[c_.choices.pick(candidates)], Use::write, false);
}

std::optional<std::pair<Spot, AtomicOp>> Memories::shared_atomic() {
  for (const Memory& m : c_.memories)
    if (m.role == Role::shared_atomic && m.writing && c_.choices.chance(70))
      return std::pair(spot(m, Use::write, false), m.family);
  return std::nullopt;
}

std::optional<Spot> Memories::uniform_loadable() {
  for (const Memory& m : c_.memories) {
    if (m.role != Role::group || m.space != Space::workgroup || c_.choices.chance(30)) continue;
    Memory anywhere = m;
    anywhere.role = Role::readable;
    return spot(anywhere, Use::read, true);
  }
  return std::nullopt;
}

void Memories::change_phases(bool workgroup, bool storage) {
  for (Memory& m : c_.memories) {
    const bool named = m.space == Space::workgroup ? workgroup : storage && m.role == Role::group;
    if (named && (m.role == Role::group || m.role == Role::shared_atomic))
      m.writing = c_.choices.chance(50);
  }
}

// --------------------------------------------------------------------------------- host bytes

std::vector<HostBuffer> Memories::host_buffers(const Program& program) {
  constexpr std::uint32_t kSpecial[] = {0,          1,          0xffffffff, 0x80000000,
                                        0x7fffffff, 5,          0x3f800000, 0xbf000000,
                                        0x80000000, 0x7f800000, 0x7fc00000, 0x00010002};
  std::vector<HostBuffer> result;
  for (std::uint32_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (buffer.space != Space::storage && buffer.space != Space::uniform) continue;
    HostBuffer host;
    host.buffer = static_cast<BufferId>(i);
    const std::uint32_t counts[] = {c_.invocations(), 0, 1, 5, 31, 1000, 2 * c_.invocations()};
    host.count = runtime_array(program, buffer)
                     ? c_.choices.pick(std::span<const std::uint32_t>(counts))
                     : vyre::static_count(program, buffer);
    host.bytes.resize(byte_size(program, buffer, host.count));
    if (buffer.access == Access::input || buffer.access == Access::in_out) {
      Choices words(c_.choices.below(1u << 30));
      for (std::size_t at = 0; at < host.bytes.size(); at += 4) {
        const std::uint32_t word = words.chance(50)
                                       ? words.pick(std::span<const std::uint32_t>(kSpecial))
                                       : words.below(0xffffffff);
        std::memcpy(host.bytes.data() + at, &word,
                    std::min<std::size_t>(4, host.bytes.size() - at));
      }
    }
    result.push_back(std::move(host));
  }
  return result;
}

}  // namespace vyre::test
