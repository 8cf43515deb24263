// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstring>

#include "runtime/recorder.h"

// The trap record: read before any output is shown.
namespace vyre {
namespace {

std::string invocation_text(std::uint64_t linear, const Part& part) {
  const auto& size = part.compiled->program()->workgroup;
  const std::uint64_t width = std::uint64_t{part.plan.grid[0]} * size[0];
  const std::uint64_t height = std::uint64_t{part.plan.grid[1]} * size[1];
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
  if (record == nullptr) return part.report.trap;
  std::array<std::uint32_t, kTrapWords> words;
  std::memcpy(words.data(), record, sizeof words);
  const auto [count, tag, value, low, high] = words;
  return {count, tag, value, std::uint64_t{high} << 32 | low};
}

Status Recorder::check_trap(const Submission& submission, const Part& part) {
  const auto [count, tag, value, invocation] = trap_of(submission, part);
  if (count == 0) return Ok{};
  const auto& traps = part.compiled->program()->traps;
  const std::string text = tag < traps.size() ? traps[tag] : "out of bounds";
  std::string message = "`" + part.label + "` trapped: " + text + " (value " +
                        std::to_string(value) + ", invocation " +
                        invocation_text(invocation, part) + ")";
  if (count > 1) message += ", and " + std::to_string(count - 1) + " more";
  return Error(ErrorKind::trapped, "trapped", std::move(message),
               "the outputs of a trapped dispatch are unspecified and are not handed out");
}

}  // namespace vyre
