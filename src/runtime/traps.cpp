// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstring>

#include "runtime/recorder.h"

// The trap record: read before any output is shown.
namespace vyre {
namespace {

std::string invocation_text(std::uint64_t linear,
                            const Program& program,
                            const std::array<std::uint32_t, 3>& grid) {
  const std::uint64_t width = std::uint64_t{grid[0]} * program.workgroup[0];
  const std::uint64_t height = std::uint64_t{grid[1]} * program.workgroup[1];
  if (width == 0 || height == 0) return std::to_string(linear);
  return "(" + std::to_string(linear % width) + ", " + std::to_string(linear / width % height) +
         ", " + std::to_string(linear / width / height) + ")";
}

}  // namespace

TrapReport Recorder::trap_of(const Submission& submission, const Part& part) {
  const std::byte* record = nullptr;
  if (part.trap) record = submission.readback_.block->data() + *part.trap;
  for (std::size_t i = 0; i < part.placed.size(); ++i)
    if (part.variant->slots[i].source == SlotSource::trap &&
        part.placed[i].place == Location::shared)
      record = part.blocks[part.placed[i].block].block->data();
  return record == nullptr ? part.report.trap : read_trap(record);
}

TrapReport Recorder::read_trap(const std::byte* record) {
  std::array<std::uint32_t, kTrapWords> words;
  std::memcpy(words.data(), record, sizeof words);
  const auto [count, tag, value, low, high] = words;
  return {count, tag, value, std::uint64_t{high} << 32 | low};
}

Status Recorder::check_trap(const Submission& submission, const Part& part) {
  const TrapReport trap = trap_of(submission, part);
  if (trap.count == 0) return Ok{};
  return trap_error(trap, part.compiled->program().program(), part.plan.grid, part.label);
}

Error Recorder::trap_error(const TrapReport& trap,
                           const Program& program,
                           const std::array<std::uint32_t, 3>& grid,
                           std::string_view label) {
  const auto& traps = program.traps;
  const std::string text(trap.tag < traps.size() ? traps[trap.tag] : kLoopTrap);
  std::string message = "`" + std::string(label) + "` trapped: " + text + " (value " +
                        std::to_string(trap.value) + ", invocation " +
                        invocation_text(trap.invocation, program, grid) + ")";
  if (trap.count > 1) message += ", and " + std::to_string(trap.count - 1) + " more";
  return Error(ErrorKind::trapped, "trapped", std::move(message),
               "the outputs of a trapped dispatch are unspecified and are not handed out");
}

}  // namespace vyre
