// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/run.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "vyre/device.h"

#include "cli/progress.h"
#include "cli/report.h"
#include "cli/summary.h"
#include "cli/timing.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

bool prints(const Sink& sink) {
  return sink.file == "-";
}

void check_words(const RunWords& words, const Job& job) {
  if (words.json && std::any_of(job.sinks.begin(), job.sinks.end(), prints)) {
    throw Failure(wrong("usage", "--json and -o NAME=- both want standard output"));
  }
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

bool has_loops(const Program& program) {
  return std::any_of(program.stmts.begin(), program.stmts.end(),
                     [](const Stmt& stmt) { return std::holds_alternative<Loop>(stmt); });
}

Device open_device(const std::string& which, const Program& program) {
  auto device = open(which);
  if (!device) throw Failure(std::move(device).error());
  const std::uint64_t turns = device->info().limits.loop_turns;
  if (turns != Limits{}.loop_turns && has_loops(program)) {
    say("warning: this driver ends loops in silence after " + std::to_string(turns) +
        " turns of one invocation");
  }
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
  return error;
}

DispatchOptions options_of(const RunWords& words, const Job& job) {
  DispatchOptions options;
  options.grid = job.grid;
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

Outputs dispatch(const Device& device,
                 const ValidProgram& program,
                 const RunWords& words,
                 const Job& job) {
  std::vector<Input> inputs;
  for (const JobBuffer& buffer : job.buffers) {
    if (buffer.supplied) inputs.emplace_back(buffer.buffer->name, buffer.bytes);
  }
  const Progress progress("running on " + device.info().name);
  auto outputs = device.dispatch(program, inputs, options_of(words, job));
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

}  // namespace

void run(const RunWords& words) {
  const ValidProgram program = read_kernel(words.kernel);
  const Job job = prepare(program.program(), words);
  const Device device = open_device(words.device, program.program());
  const Outputs outputs = dispatch(device, program, words, job);
  if (const std::uint64_t faults = device.stats().cache_faults)
    say("note: ignored " + counted(faults, "damaged file") + " of the kernel cache");
  if (words.device == "auto" && !words.json) {
    say("ran on " + device.info().selector() + " (" + device.info().name + ")");
  }
  write_outputs(program.program(), job, outputs);
  if (words.json) {
    print(run_report(program.program(), device.info(), job,
                     summaries(program.program(), job, outputs), outputs.timing()));
  } else if (job.sinks.empty()) {
    print(to_table(summaries(program.program(), job, outputs)));
  }
  if (words.time) say(to_text(outputs.timing()));
}

}  // namespace vyre::cli
