// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/run_passes.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "backend/cpu/machine.h"
#include "interpreter/interpreter.h"
#include "ir/layout.h"
#include "validate/validate.h"

namespace vyre::test {
namespace {

using interpreter::TrapSummary;

/// Statements of a run: what takes more does not end.
constexpr std::uint64_t kMaxSteps = 50'000'000;

std::vector<std::byte> padded(std::vector<std::byte> bytes) {
  bytes.resize((bytes.size() + 3) / 4 * 4);
  return bytes;
}

struct Outcome {
  std::vector<std::vector<std::byte>> buffers;  ///< by id
  TrapSummary trap;
  std::string error;
};

/// Bytes of every buffer: the host's, then the contents of internal ones.
std::vector<std::vector<std::byte>> contents(const Lowered& lowered, const PassInputs& inputs) {
  const Program& program = lowered.program;
  std::vector<std::vector<std::byte>> all(program.buffers.size());
  for (const PassBuffer& host : inputs.buffers)
    all[index(host.buffer)] = padded(host.bytes);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    const auto words = std::as_bytes(std::span(buffer.words));
    if (!words.empty()) all[i].assign(words.begin(), words.end());
    const bool placed = buffer.space == Space::storage || buffer.space == Space::uniform;
    if (placed) all[i].resize(std::max<std::size_t>(all[i].size(), program.layout(buffer).size));
  }
  return all;
}

/// A folded grid arrives with a surplus row.
std::array<std::uint32_t, 3> arriving(std::array<std::uint32_t, 3> grid, Fold fold) {
  if (fold == Fold::none) return grid;
  const auto axis = static_cast<std::size_t>(
      fold == Fold::any ? std::max_element(grid.begin(), grid.end()) - grid.begin()
                        : static_cast<int>(fold) - 1);
  const std::uint32_t width = (grid[axis] + 1) / 2;
  return {width, (grid[axis] + width - 1) / width + 1, grid[(axis + 1) % 3] * grid[(axis + 2) % 3]};
}

interpreter::RunInputs run_inputs_of(const PassInputs& inputs, Fold fold) {
  interpreter::RunInputs run;
  run.logical_grid = inputs.grid;
  run.grid = arriving(inputs.grid, fold);
  run.max_steps = kMaxSteps;
  return run;
}

TrapSummary record_of(std::span<const std::byte> bytes) {
  std::array<std::uint32_t, kTrapWords> words = {};
  std::memcpy(words.data(), bytes.data(), sizeof words);
  if (words[0] == 0) return {};
  return {words[0], static_cast<TrapId>(words[1]), words[2],
          std::uint64_t{words[4]} << 32 | words[3]};
}

/// What went wrong in a run that did not reach its end; else empty.
std::string failure_of(const interpreter::RunReport& report) {
  if (report.divergence) return "a divergent barrier";
  return report.out_of_steps ? "no end within the budget" : "";
}

Outcome interpreted(const Lowered& lowered, const PassInputs& inputs, Fold fold) {
  Outcome outcome = {contents(lowered, inputs), {}, {}};
  std::vector<interpreter::BufferBytes> buffers;
  for (auto& bytes : outcome.buffers)
    buffers.push_back({bytes, 0});
  for (const PassBuffer& host : inputs.buffers)
    buffers[index(host.buffer)].count = host.count;
  interpreter::RunInputs run = run_inputs_of(inputs, fold);
  run.buffers = buffers;
  const interpreter::RunReport report = interpreter::interpret(lowered.program, run);
  outcome.error = failure_of(report);
  outcome.trap = lowered.trap_buffer == kNone<BufferId>
                     ? report.trap
                     : record_of(outcome.buffers[index(lowered.trap_buffer)]);
  return outcome;
}

/// The same on the CPU machine.  Which of several traps comes first is its own choice.
Outcome on_machine(const Lowered& raw, const PassInputs& inputs) {
  Outcome outcome = {contents(raw, inputs), {}, {}};
  std::vector<cpu::Memory> memories;
  for (auto& bytes : outcome.buffers)
    memories.push_back({bytes, 0});
  for (const PassBuffer& host : inputs.buffers)
    memories[index(host.buffer)].count = host.count;
  cpu::Launch launch;
  launch.grid = launch.logical_grid = inputs.grid;
  launch.threads = 1;
  launch.buffers = memories;
  const auto result = cpu::Machine::compile(raw.program).run(launch);
  if (!result) return outcome.error = result.error().to_string(), outcome;
  outcome.trap.count = result->trap.count;
  return outcome;
}

template <typename T>
T read(const std::vector<std::byte>& bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool both_nan(const std::vector<std::byte>& a, const std::vector<std::byte>& b, std::size_t at) {
  const auto nan = [](std::uint32_t bits) { return (bits & 0x7fffffffu) > 0x7f800000u; };
  const auto half_nan = [](std::uint32_t bits) { return (bits & 0x7fffu) > 0x7c00u; };
  const auto x = read<std::uint32_t>(a, at);
  const auto y = read<std::uint32_t>(b, at);
  if (nan(x) && nan(y)) return true;
  const auto same_half = [&](std::uint32_t p, std::uint32_t q) {
    return (p & 0xffffu) == (q & 0xffffu) || (half_nan(p) && half_nan(q));
  };
  return same_half(x, y) && same_half(x >> 16, y >> 16);
}

std::string difference(const Program& program,
                       const PassInputs& inputs,
                       const Outcome& wanted,
                       const Outcome& got) {
  std::ostringstream text;
  text << std::hex;
  const auto same_trap = [&](const TrapSummary& a, const TrapSummary& b) {
    return a.count == b.count &&
           (a.count == 0 || (a.tag == b.tag && a.value == b.value && a.invocation == b.invocation));
  };
  const auto show = [&](const TrapSummary& t) {
    text << t.count << " traps, tag " << index(t.tag) << " value 0x" << t.value << " invocation 0x"
         << t.invocation;
  };
  if (!same_trap(wanted.trap, got.trap)) {
    text << "wanted ";
    show(wanted.trap);
    text << ", got ";
    show(got.trap);
    return text.str();
  }
  if (wanted.trap.count != 0) return {};
  for (const PassBuffer& host : inputs.buffers) {
    const auto& a = wanted.buffers[index(host.buffer)];
    const auto& b = got.buffers[index(host.buffer)];
    const std::size_t size = (host.bytes.size() + 3) / 4 * 4;
    for (std::size_t at = 0; at + 4 <= size; at += 4) {
      if (read<std::uint32_t>(a, at) == read<std::uint32_t>(b, at) || both_nan(a, b, at)) continue;
      text << "buffer `" << program[host.buffer].name << "` at byte 0x" << at << ": wanted 0x"
           << read<std::uint32_t>(a, at) << ", got 0x" << read<std::uint32_t>(b, at);
      return text.str();
    }
  }
  return {};
}

/// How the CPU machine's run differs from the interpreter's; empty if it does not.
std::string machine_fault(const Lowered& raw, const PassInputs& inputs, const Outcome& wanted) {
  const Outcome got = on_machine(raw, inputs);
  if (!got.error.empty()) return "on the CPU machine: " + got.error;
  Outcome expected = wanted;
  if (expected.trap.count != 0) expected.trap = {.count = expected.trap.count};
  const std::string what = difference(raw.program, inputs, expected, got);
  return what.empty() ? what : "on the CPU machine: " + what + "\n" + dump(raw.program);
}

}  // namespace

std::string check_passes(const ValidProgram& program,
                         const PassInputs& inputs,
                         const Target& target) {
  Lowered raw;
  raw.program = program.program();
  raw.host_buffers = static_cast<std::uint32_t>(raw.program.buffers.size());
  const Outcome wanted = interpreted(raw, inputs, Fold::none);
  if (!wanted.error.empty()) return "the program itself: " + wanted.error;
  std::string failure = machine_fault(raw, inputs, wanted);
  Fold fold = Fold::none;
  Program before = raw.program;
  const auto observe = [&](std::string_view pass, const Lowered& lowered) {
    if (!failure.empty()) return;
    if (pass == "bind_launch") fold = target.fold;
    const Diagnostics faults = validate_lowered(lowered.program);
    std::string what = faults.has_errors() ? faults.to_string() : std::string();
    if (what.empty()) {
      const Outcome got = interpreted(lowered, inputs, fold);
      what = got.error.empty() ? difference(raw.program, inputs, wanted, got) : got.error;
    }
    if (!what.empty())
      failure = "after " + std::string(pass) + ": " + what + "\n---- before\n" + dump(before) +
                "---- after\n" + dump(lowered.program);
    before = lowered.program;
  };
  const auto lowered = lower(program, target, observe);
  if (failure.empty() && !lowered) return "lowering: " + lowered.error().to_string();
  return failure;
}

Target everything_target() {
  Target target = wgsl_target();
  target.float_exact = false;
  target.strict_float = true;
  target.max_nesting = 1000;
  target.max_statements = 10000000;
  return target;
}

}  // namespace vyre::test
