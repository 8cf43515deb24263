// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "vyre/device.h"

#include "cli/progress.h"
#include "cli/summary.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

using Json = nlohmann::ordered_json;
using Duration = std::optional<std::chrono::nanoseconds>;

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
  std::vector<Error> faults = prepare_job(program, words.job, job);
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
  if (!device) throw Failure(Exit::device_failed, {std::move(device).error()});
  for (const std::string& warning : device->info().warnings)
    say("warning: " + warning);
  return *std::move(device);
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
  return must(device.dispatch(program, inputs, options_of(words, job)));
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

// ---------------------------------------------------------------------------------- durations

struct Phase {
  const char* name;
  Duration duration;
};

std::vector<Phase> phases(const Timing& timing) {
  return {{"total", timing.total},
          {"compile", timing.compile},
          {"upload", timing.upload},
          {"kernel", timing.kernel},
          {"readback", timing.readback}};
}

/// "12.3 ms": three figures, in the unit that suits.
std::string duration_text(std::chrono::nanoseconds duration) {
  const auto count = static_cast<double>(duration.count());
  const auto [value, unit] = count < 1e6   ? std::pair(count / 1e3, "µs")
                             : count < 1e9 ? std::pair(count / 1e6, "ms")
                                           : std::pair(count / 1e9, "s");
  char text[64];
  const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
  std::snprintf(text, sizeof text, "%.*f %s", decimals, value, unit);
  return text;
}

std::string timing_text(const Timing& timing) {
  std::string text;
  for (const Phase& phase : phases(timing)) {
    if (!phase.duration) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(phase.name) + " " + duration_text(*phase.duration);
  }
  return text;
}

// --------------------------------------------------------------------------------------- JSON

Json to_json(const Value& value) {
  const auto* real = std::get_if<double>(&value.number);
  if (value.type == ScalarType::boolean) return std::get<std::uint64_t>(value.number) != 0;
  // JSON has no such numbers: their text stands for them.
  if (real != nullptr && !std::isfinite(*real)) return to_text(value.type, value.number);
  return std::visit([](auto number) { return Json(number); }, value.number);
}

Json to_json(const Summary& summary, const Job& job) {
  Json json = {{"name", summary.name}, {"type", summary.type}, {"count", summary.count}};
  json["first"] = Json::array();
  for (const Value& value : summary.first)
    json["first"].push_back(to_json(value));
  if (summary.min) json["min"] = to_json(*summary.min);
  if (summary.max) json["max"] = to_json(*summary.max);
  if (summary.nans != 0) json["nans"] = summary.nans;
  for (const Sink& sink : job.sinks) {
    if (sink.buffer->name == summary.name) json["files"].push_back(sink.file);
  }
  return json;
}

Json to_json(const Timing& timing) {
  Json json = Json::object();
  for (const Phase& phase : phases(timing)) {
    if (phase.duration) json[std::string(phase.name) + "_ns"] = phase.duration->count();
  }
  return json;
}

void print_json(const Program& program,
                const Device& device,
                const Job& job,
                const Outputs& outputs) {
  const DeviceInfo& info = device.info();
  Json json;
  json["kernel"] = program.name;
  json["device"] = {
      {"selector", info.selector()}, {"name", info.name}, {"kind", to_string(info.kind)}};
  json["outputs"] = Json::array();
  for (const Summary& summary : summaries(program, job, outputs)) {
    json["outputs"].push_back(to_json(summary, job));
  }
  json["timing"] = to_json(outputs.timing());
  print(json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

void run(const RunWords& words) {
  const ValidProgram program = read_kernel(words.kernel);
  const Job job = prepare(program.program(), words);
  const Device device = open_device(words.device);
  const Outputs outputs = dispatch(device, program, words, job);
  if (words.device == "auto" && !words.json) {
    say("ran on " + device.info().selector() + " (" + device.info().name + ")");
  }
  write_outputs(program.program(), job, outputs);
  if (words.json) {
    print_json(program.program(), device, job, outputs);
  } else if (job.sinks.empty()) {
    print(to_table(summaries(program.program(), job, outputs)));
  }
  if (words.time) say(timing_text(outputs.timing()));
}

}  // namespace vyre::cli
