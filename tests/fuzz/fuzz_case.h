// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "vyre/program.h"

#include "fuzz/choices.h"
#include "support/run_passes.h"

/// Random programs with the bytes to run them on.
///
/// Every case is valid and free of races by construction: an invocation writes only slots of its
/// own; what invocations share is written and read in phases that barriers separate, or by atomics
/// whose order cannot be seen.  Operations without exact results never feed others: a `Probe`
/// stores their operands and result, to be judged one by one.
namespace vyre::test {

struct FuzzOptions {
  bool float_arithmetic = true;  ///< f32 + - * are exact and feed other operations
  bool flush = false;            ///< f32 subnormals become zero where they appear
  bool plain_zeros = false;      ///< f32 + - * give no negative zero: a driver may lose its sign
  bool traps = true;
  bool wide = true;               ///< values of u64 and i64
  std::uint32_t statements = 40;  ///< about so many at most
  std::uint32_t nesting = 70;     ///< now and then as deep as this
};

/// Words slot … slot+4 of each `stride` words of the probe buffer: 1 if it was reached, three
/// operands, the result; all f32.  The second operand of ldexp is stored converted.
struct Probe {
  Op op = Op::div;
  std::uint32_t slot = 0;
};

struct FuzzCase {
  Program program;
  PassInputs inputs;  ///< every storage and uniform buffer, in order, and the grid
  BufferId probe_buffer = kNone<BufferId>;
  std::uint32_t probe_stride = 0;
  std::vector<Probe> probes;
};

using HostBuffer = PassBuffer;

FuzzCase generate(Choices& choices, const FuzzOptions& options);

}  // namespace vyre::test
