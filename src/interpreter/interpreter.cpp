// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/interpreter.h"

#include "interpreter/workgroup.h"

namespace vyre::interpreter {

RunReport interpret(const Program& program, const RunInputs& inputs) {
  RunState run(program, inputs);
  Workgroup workgroup(run);
  const auto stopped = [&] { return run.report.divergence || run.report.out_of_steps; };
  const auto& grid = inputs.grid;
  for (std::uint32_t z = 0; z < grid[2]; ++z)
    for (std::uint32_t y = 0; y < grid[1]; ++y)
      for (std::uint32_t x = 0; x < grid[0] && !stopped(); ++x)
        workgroup.run({x, y, z});
  return run.report;
}

}  // namespace vyre::interpreter
