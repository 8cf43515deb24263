// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "interpreter/interpreter.h"
#include "unit/validate/support.h"

/// Shorthand: interprets a `Kernel` on words and gives back what it wrote to `out`.
namespace vyre::interpreter {

using Words = std::vector<std::uint32_t>;

struct Ran {
  Words out;
  RunReport report;
};

struct RunSetup {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  Words in = {};
  Words params = {0, 0};
  std::size_t out_words = 64;
  std::uint32_t subgroup_size = 32;
  std::uint64_t max_steps = 10'000'000;
};

inline Ran run(Kernel&& kernel, RunSetup setup = {}) {
  const Program program = std::move(kernel).done();
  Ran ran = {Words(setup.out_words), {}};
  const auto bytes = [](Words& words) {
    return BufferBytes{std::as_writable_bytes(std::span(words)), words.size()};
  };
  std::vector<BufferBytes> buffers(program.buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::string& name = program.buffers[i].name;
    if (name == "in") buffers[i] = bytes(setup.in);
    if (name == "out") buffers[i] = bytes(ran.out);
    if (name == "params") buffers[i] = bytes(setup.params);
  }
  RunInputs inputs;
  inputs.grid = inputs.logical_grid = setup.grid;
  inputs.buffers = buffers;
  inputs.subgroup_size = setup.subgroup_size;
  inputs.max_steps = setup.max_steps;
  ran.report = interpret(program, inputs);
  return ran;
}

}  // namespace vyre::interpreter
