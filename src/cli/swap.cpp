// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/swap.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include "vyre/sequence.h"

#include "cli/inference.h"
#include "cli/types.h"
#include "cli/words.h"
#include "ir/layout.h"

namespace vyre::cli {
namespace {

bool is_written(const Program& program, const JobBuffer& buffer) {
  return comes_back(*buffer.buffer) &&
         buffer_use(program)
             .written[static_cast<std::size_t>(buffer.buffer - program.buffers.data())];
}

Result<const JobBuffer*> storage_buffer(const Program& program,
                                        const Job& job,
                                        std::string_view name) {
  VYRE_TRY(const BufferDecl* const found, find_buffer(program, name));
  if (found->space == Space::uniform) {
    return wrong("usage", described(program, *found) + " is uniform, and cannot be swapped",
                 "declare it as var<storage, read>");
  }
  return &job.of(*found);
}

/// The same bytes mean the same in both.
bool are_alike(const Program& program, const JobBuffer& a, const JobBuffer& b) {
  return a.buffer->layout == b.buffer->layout ||
         type_name(program, a.buffer->layout) == type_name(program, b.buffer->layout);
}

class Swapping {
 public:
  Swapping(const Device& device, const ValidProgram& program, const Job& job, const Swap& swap)
      : device_(device), program_(program), job_(job), swap_(swap) {}

  /// Device memory for what is written, and for the two that change places.
  Status place() {
    for (const JobBuffer& buffer : job_.buffers) {
      const bool moves = &buffer == swap_.first || &buffer == swap_.second;
      if (!moves && !comes_back(*buffer.buffer)) continue;
      VYRE_TRY(const Buffer there, device_.allocate(std::max<std::uint64_t>(size_of(buffer), 4)));
      if (buffer.supplied && !buffer.bytes.empty()) VYRE_CHECK_OK(there.upload(buffer.bytes));
      resident_.emplace(&buffer, there);
    }
    return Ok{};
  }

  /// A sequence of so many launches; the first has every buffer in its place.
  Result<Sequence> record(std::uint32_t launches, const DispatchOptions& options) const {
    Sequence sequence(device_);
    for (std::uint32_t i = 0; i < launches; ++i) {
      std::vector<Input> inputs;
      for (const JobBuffer& buffer : job_.buffers) {
        if (const Buffer* const there = bound(buffer, i % 2 != 0))
          inputs.emplace_back(buffer.buffer->name, *there);
        else if (buffer.supplied)
          inputs.emplace_back(buffer.buffer->name, buffer.bytes);
      }
      VYRE_CHECK_OK(sequence.add(program_, inputs, options));
    }
    return sequence;
  }

  /// Everything that comes back, as bound in the last of so many launches.
  Status read(Sequence& sequence, std::uint32_t launches) const {
    for (const JobBuffer& buffer : job_.buffers) {
      if (!comes_back(*buffer.buffer)) continue;
      VYRE_CHECK_OK(sequence.read(buffer.buffer->name, *bound(buffer, launches % 2 == 0), 0,
                                  size_of(buffer)));
    }
    return Ok{};
  }

 private:
  [[nodiscard]] std::uint64_t size_of(const JobBuffer& buffer) const {
    return byte_size(program_.program(), *buffer.buffer, buffer.count);
  }
  [[nodiscard]] const Buffer* bound(const JobBuffer& buffer, bool swapped) const {
    const JobBuffer* of = &buffer;
    if (swapped && of == swap_.first)
      of = swap_.second;
    else if (swapped && of == swap_.second)
      of = swap_.first;
    const auto found = resident_.find(of);
    return found == resident_.end() ? nullptr : &found->second;
  }

  const Device& device_;
  const ValidProgram& program_;
  const Job& job_;
  const Swap& swap_;
  std::map<const JobBuffer*, Buffer> resident_;
};

using Clock = std::chrono::steady_clock;

/// What is left of the time for all launches.
SequenceOptions left_of(const DispatchOptions& options, Clock::time_point start) {
  const auto left = options.timeout - (Clock::now() - start);
  return {.timeout = std::max<std::chrono::nanoseconds>(left, std::chrono::nanoseconds(1))};
}

}  // namespace

Result<Swap> parse_swap(const Program& program, const Job& job, const std::string& word) {
  const std::vector<std::string_view> names = split(word, ',');
  if (names.size() != 2 || names[0] == names[1]) {
    return wrong("usage", ticked(word) + " of --swap is not two buffers",
                 "write --swap BEFORE,AFTER");
  }
  VYRE_TRY(const JobBuffer* const first, storage_buffer(program, job, names[0]));
  VYRE_TRY(const JobBuffer* const second, storage_buffer(program, job, names[1]));
  if (!are_alike(program, *first, *second)) {
    return wrong("wrong-type", described(program, *first->buffer) + " cannot change places with " +
                                   described(program, *second->buffer));
  }
  if (first->count != second->count) {
    return wrong("wrong-length", described(program, *first->buffer) + " has " +
                                     counted(first->count, "element") + ", and " +
                                     described(program, *second->buffer) + " has " +
                                     std::to_string(second->count));
  }
  if (!is_written(program, *first) && !is_written(program, *second)) {
    return wrong("usage", "the kernel writes neither " + ticked(names[0]) + " nor " +
                              ticked(names[1]) + ", so that swapping them does nothing");
  }
  return Swap{first, second};
}

std::string repeat_note(const Program& program, const Job& job, std::uint32_t repeat) {
  if (reads_what_it_writes(program)) return {};
  const BufferUse use = buffer_use(program);
  const auto id_of = [&](const JobBuffer& buffer) {
    return static_cast<std::size_t>(buffer.buffer - program.buffers.data());
  };
  std::string pair;
  for (const JobBuffer& after : job.buffers) {
    if (!comes_back(*after.buffer) || !use.written[id_of(after)]) continue;
    for (const JobBuffer& before : job.buffers) {
      const bool could = before.buffer->space == Space::storage && use.read[id_of(before)] &&
                         are_alike(program, before, after) && before.count == after.count;
      if (could && pair.empty()) pair = before.buffer->name + "," + after.buffer->name;
    }
  }
  if (pair.empty()) return {};
  return "note: each of the " + std::to_string(repeat) +
         " launches does the same, because the kernel reads nothing that it writes; --swap " +
         pair + " lets two buffers change places after each";
}

Result<Outputs> dispatch_swapping(const Device& device,
                                  const ValidProgram& program,
                                  const Job& job,
                                  const Swap& swap,
                                  const DispatchOptions& options) {
  constexpr std::uint32_t kMostSteps = 256;  // even, so that each sequence starts alike
  const auto start = Clock::now();
  DispatchOptions step = options;
  step.repeat = 1;
  step.timestamps = false;
  step.counts = {};
  Swapping swapping(device, program, job, swap);
  VYRE_CHECK_OK(swapping.place());
  const std::uint32_t rest = (options.repeat - 1) % kMostSteps + 1;
  if (options.repeat > kMostSteps) {
    VYRE_TRY(const Sequence whole, swapping.record(kMostSteps, step));
    for (std::uint32_t done = rest; done < options.repeat; done += kMostSteps)
      VYRE_CHECK_OK(whole.run(left_of(options, start)));
  }
  VYRE_TRY(Sequence last, swapping.record(rest, step));
  VYRE_CHECK_OK(swapping.read(last, rest));
  return last.run(left_of(options, start));
}

}  // namespace vyre::cli
