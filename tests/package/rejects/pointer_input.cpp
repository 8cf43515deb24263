// rejected: could not convert|no matching (function|constructor)
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/vyre.h>

// A pointer has no length.
auto run(const vyre::Device& device, const vyre::ValidProgram& program, const float* x) {
  return device.dispatch(program, {{"x", x}});
}
