// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/validate.h"
#include "vyre/wgsl.h"

#include "backend/cpu/machine.h"
#include "backend/wgpu/wgsl.h"
#include "fuzz/compare.h"
#include "fuzz/runner.h"
#include "ir/layout.h"
#include "lower/lower.h"

// The front end reads every random program that is printed as WGSL, and it still means the same:
// all statements, nested structures with vec3, atomics and barriers, as text.
namespace vyre::test {
namespace {

using Bytes = std::vector<std::byte>;

struct Outcome {
  std::vector<Bytes> buffers;  ///< by id
  std::string error;
};

/// Elements that the bytes hold of an array without a size.
std::uint64_t count_of(const Program& program, const BufferDecl& buffer, const Bytes& bytes) {
  const auto array = runtime_array(program, buffer);
  if (!array || bytes.size() < array->offset) return 0;
  return (bytes.size() - array->offset) / array->stride;
}

/// `given`: the program is the generator's, and so are the counts.
Outcome run(const Program& program,
            std::vector<Bytes> buffers,
            const PassInputs& inputs,
            bool given) {
  Outcome outcome = {std::move(buffers), {}};
  std::vector<cpu::Memory> memories;
  for (std::size_t i = 0; i < outcome.buffers.size(); ++i)
    memories.push_back(
        {outcome.buffers[i], count_of(program, program.buffers[i], outcome.buffers[i])});
  for (const HostBuffer& host : inputs.buffers)
    if (given) memories[index(host.buffer)].count = host.count;
  const cpu::Machine machine = cpu::Machine::compile(program);
  cpu::Launch launch;
  launch.grid = launch.logical_grid = inputs.grid;
  launch.buffers = memories;
  launch.threads = 1;
  const auto result = machine.run(launch);
  if (!result) outcome.error = result.error().to_string();
  return outcome;
}

const HostBuffer* host_buffer(const FuzzCase& made, BufferId id) {
  for (const HostBuffer& host : made.inputs.buffers)
    if (host.buffer == id) return &host;
  return nullptr;
}

std::uint32_t launch_word(const LaunchWord& word, const FuzzCase& made) {
  switch (word.field) {
    case LaunchField::grid_x: return made.inputs.grid[0];
    case LaunchField::grid_y: return made.inputs.grid[1];
    case LaunchField::grid_z: return made.inputs.grid[2];
    case LaunchField::count:
      return static_cast<std::uint32_t>(host_buffer(made, word.buffer)->count);
    case LaunchField::base_x:
    case LaunchField::base_y:
    case LaunchField::base_z:
    case LaunchField::zero: return 0;
  }
  return 0;
}

Bytes bytes_of(const std::vector<std::uint32_t>& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

/// What a binding holds before the run.
Bytes content(const wgpu::KernelBinding& binding, const Lowered& lowered, const FuzzCase& made) {
  Bytes bytes;
  if (binding.buffer == kNone<BufferId>) {
    std::vector<std::uint32_t> words;
    for (const LaunchWord& word : lowered.launch)
      words.push_back(launch_word(word, made));
    bytes = bytes_of(words);
  } else if (const HostBuffer* host = host_buffer(made, binding.buffer)) {
    bytes = host->bytes;
  } else {
    bytes = bytes_of(lowered.program[binding.buffer].words);
  }
  bytes.resize(std::max<std::size_t>((bytes.size() + 3) / 4 * 4, binding.min_bytes));
  return bytes;
}

Outcome run_given(const FuzzCase& made) {
  std::vector<Bytes> host(made.program.buffers.size());
  for (const HostBuffer& buffer : made.inputs.buffers)
    host[index(buffer.buffer)] = buffer.bytes;
  for (std::size_t i = 0; i < host.size(); ++i) {
    const std::size_t least = made.program.layout(made.program.buffers[i]).size;
    host[i].resize(std::max((host[i].size() + 3) / 4 * 4, least));
  }
  return run(made.program, std::move(host), made.inputs, true);
}

Outcome run_read(const Program& program,
                 const wgpu::KernelSource& source,
                 const Lowered& lowered,
                 const FuzzCase& made) {
  std::vector<Bytes> contents(program.buffers.size());
  for (std::size_t i = 0; i < contents.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (buffer.space == Space::storage || buffer.space == Space::uniform)
      contents[i] = content(source.bindings.at(buffer.binding), lowered, made);
  }
  return run(program, std::move(contents), made.inputs, false);
}

std::string check_printed(const FuzzCase& made) {
  const auto valid = validate(made.program);
  if (!valid) return valid.error().to_string();
  const Outcome wanted = run_given(made);
  if (!wanted.error.empty()) return "the program: " + wanted.error;
  const auto lowered = lower(*valid, wgsl_target());
  if (!lowered) return lowered.error().to_string();
  const wgpu::KernelSource source = wgpu::print_wgsl(*lowered);
  const auto read = parse_wgsl(source.text);
  if (!read) return read.error().to_string() + "\n" + source.text;
  const Program& program = read->program();
  const Outcome got = run_read(program, source, *lowered, made);
  if (!got.error.empty()) return "what was read: " + got.error + "\n" + source.text;
  for (std::size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (buffer.space != Space::storage) continue;
    const HostBuffer* host = host_buffer(made, source.bindings.at(buffer.binding).buffer);
    if (host == nullptr) continue;
    const std::size_t size = host->bytes.size();
    const std::string fault =
        difference(made.program, *host, std::span(wanted.buffers[index(host->buffer)]).first(size),
                   std::span(got.buffers[i]).first(size));
    if (!fault.empty()) return fault + "\n" + source.text;
  }
  return {};
}

void fuzz(std::uint64_t first_seed, std::uint64_t programs) {
  FuzzRun settings = {.first_seed = first_seed, .programs = programs};
  settings.options.traps = false;
  settings.shrink_budget = 3000;
  run_programs(settings, check_printed);
}

TEST(PrintedFuzz, IsReadAsTheSameProgram) {
  fuzz(7000001, scaled(500));
}
TEST(LongPrintedFuzz, IsReadAsTheSameProgram) {
  fuzz(8000001, scaled(10000));
}

}  // namespace
}  // namespace vyre::test
