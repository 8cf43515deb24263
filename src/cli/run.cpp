// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <vector>

#include "vyre/device.h"

#include "cli/inference.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/swap.h"
#include "cli/timing.h"
#include "cli/types.h"
#include "cli/words.h"
#include "runtime/plan.h"

namespace vyre::cli {
namespace {

bool prints(const Sink& sink) {
  return sink.file == "-";
}

void check_words(const RunWords& words, const Job& job) {
  if (words.json && std::any_of(job.sinks.begin(), job.sinks.end(), prints)) {
    throw Failure(wrong("usage", "--json and -o NAME=- both want standard output"));
  }
  if (!words.swap.empty() && words.repeat == 1)
    throw Failure(wrong("usage", "--swap says what happens between launches, and there is only one",
                        "add -r N"));
}

/// The grid of this job: as it was given, or as the library infers it.
Grid grid_of(const ValidProgram& program, const Job& job) {
  if (job.grid) return {*job.grid, false};
  const PlanTemplate shape = make_template(program);
  const auto count_of = [&](std::size_t i) {
    return job.of(program.program()[shape.bindings[i].buffer]).count;
  };
  return {{static_cast<std::uint32_t>(inferred_workgroups(shape, count_of)), 1, 1}, true};
}

/// A serial kernel that is run once an element gives a wrong answer, and no error.
void check_inferred(const Program& program, const Grid& grid) {
  if (!grid.inferred || grid.groups[0] <= 1) return;
  const std::string reason = against_inference(program);
  if (reason.empty()) return;
  throw Failure(wrong("grid-missing",
                      "a grid of " + std::to_string(grid.groups[0]) +
                          " workgroups of one would be inferred, but the kernel " + reason,
                      "add -g 1 to run it once, or --threads N or -g N to run it N times"));
}

Job prepare(const Program& program, const RunWords& words) {
  Job job;
  JobWords job_words = words.job;
  job_words.kernels = words.kernel.files;
  std::vector<Error> faults = prepare_job(program, job_words, job);
  if (!faults.empty()) {
    const Exit status = exit_of(faults.front());
    throw Failure(status, std::move(faults));
  }
  check_words(words, job);
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.padded != 0) {
      say("added " + counted(buffer.padded, "zero byte") + " to buffer " +
          ticked(buffer.buffer->name));
    }
  }
  return job;
}

Device open_device(const std::string& which) {
  auto device = open(which);
  if (!device) throw Failure(std::move(device).error());
  return *std::move(device);
}

/// The help of the library speaks of its calls; a command has options.
Error in_command_words(Error error) {
  const auto say_instead = [&](const char* help) {
    Error told(error.kind(), error.code(), error.message(), help);
    for (const std::string& doing : error.context())
      told = std::move(told).with(doing);
    return told;
  };
  if (error.kind() == ErrorKind::timeout)
    return say_instead("give it longer with --timeout SECONDS, or give the kernel less work");
  if (error.code() == "memory-budget") return say_instead("ask for fewer elements");
  if (error.code() == "grid-missing")
    return say_instead("add --threads X,Y for invocations, or -g X,Y for workgroups");
  return error;
}

DispatchOptions options_of(const RunWords& words, const Job& job) {
  DispatchOptions options;
  if (job.grid) options.grid = *job.grid;
  options.repeat = words.repeat;
  options.timestamps = words.time || words.json;
  options.strict_float = words.strict_float;
  options.timeout = std::chrono::nanoseconds(static_cast<std::int64_t>(words.timeout_s * 1e9));
  for (const JobBuffer& buffer : job.buffers) {
    const bool counted_here = !buffer.supplied && comes_back(*buffer.buffer);
    if (counted_here) options.counts.emplace_back(buffer.buffer->name, buffer.count);
  }
  return options;
}

Result<Outputs> try_dispatch(const Device& device,
                             const ValidProgram& program,
                             const RunWords& words,
                             const Job& job) {
  if (!words.swap.empty()) {
    VYRE_TRY(const Swap swap, parse_swap(program.program(), job, words.swap));
    const Progress progress("running on " + device.info().name);
    return dispatch_swapping(device, program, job, swap, options_of(words, job));
  }
  std::vector<Input> inputs;
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.supplied) inputs.emplace_back(buffer.buffer->name, buffer.bytes);
  }
  const Progress progress("running on " + device.info().name);
  return device.dispatch(program, inputs, options_of(words, job));
}

Outputs dispatch(const Device& device,
                 const ValidProgram& program,
                 const RunWords& words,
                 const Job& job) {
  auto outputs = try_dispatch(device, program, words, job);
  if (!outputs) throw Failure(in_command_words(std::move(outputs).error()));
  return *std::move(outputs);
}

/// Files first: a reader of the printed part may leave early.
void write_outputs(const Program& program, const Job& job, const Outputs& outputs) {
  std::string text;
  const auto write = [&](const Sink& sink) {
    const std::uint64_t count = job.of(*sink.buffer).count;
    text += must(write_sink(program, sink, count, outputs.bytes(sink.buffer->name)));
  };
  for (const Sink& sink : job.sinks) {
    if (!prints(sink)) write(sink);
  }
  for (const Sink& sink : job.sinks) {
    if (prints(sink)) write(sink);
  }
  print(text);
}

std::vector<Summary> summaries(const Program& program, const Job& job, const Outputs& outputs) {
  std::vector<Summary> all;
  for (const JobBuffer& buffer : job.buffers) {
    if (!outputs.contains(buffer.buffer->name)) continue;
    all.push_back(
        summarise(program, *buffer.buffer, buffer.count, outputs.bytes(buffer.buffer->name)));
  }
  return all;
}

/// "391 workgroups of 64"
std::string grid_text(const Program& program, const Grid& grid) {
  const auto axes = [](const std::array<std::uint32_t, 3>& of) {
    std::string text = std::to_string(of[0]);
    for (const std::size_t axis : {1U, 2U})
      if (of[1] != 1 || of[2] != 1)
        text += (axis == 2 && of[2] == 1) ? "" : "×" + std::to_string(of[axis]);
    return text;
  };
  const bool one = grid.groups == std::array<std::uint32_t, 3>{1, 1, 1};
  return axes(grid.groups) + (one ? " workgroup of " : " workgroups of ") +
         axes(program.workgroup) + (grid.inferred ? ", inferred" : "");
}

}  // namespace

void run(const RunWords& words) {
  const ValidProgram program = read_kernel(words.kernel);
  const Job job = prepare(program.program(), words);
  const Grid grid = grid_of(program, job);
  check_inferred(program.program(), grid);
  if (words.repeat > 1 && words.swap.empty()) {
    const std::string note = repeat_note(program.program(), job, words.repeat);
    if (!note.empty()) say(note);
  }
  const Device device = open_device(words.device);
  const auto start = std::chrono::steady_clock::now();
  const Outputs outputs = dispatch(device, program, words, job);
  Timing timing = outputs.timing();
  if (!words.swap.empty()) {  // of several submissions
    timing = Timing();
    timing.total = std::chrono::steady_clock::now() - start;
  }
  if (const std::uint64_t faults = device.stats().cache_faults)
    say("note: ignored " + counted(faults, "damaged file") + " of the kernel cache");
  if (words.device == "auto" && !words.json) {
    say("ran on " + device.info().selector() + " (" + device.info().name + "), " +
        grid_text(program.program(), grid));
  }
  write_outputs(program.program(), job, outputs);
  if (words.json) {
    print(run_report(program.program(), device.info(), job, grid,
                     summaries(program.program(), job, outputs), timing));
  } else if (job.sinks.empty()) {
    print(to_table(summaries(program.program(), job, outputs)));
  }
  if (words.time) say(to_text(timing));
}

}  // namespace vyre::cli
