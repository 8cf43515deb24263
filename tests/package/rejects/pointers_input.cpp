// rejected: could not convert|no matching (function|constructor)
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include <vyre/vyre.h>

// Addresses of the host are no data of a kernel.
auto run(const vyre::Device& device,
         const vyre::ValidProgram& program,
         const std::vector<float*>& x) {
  return device.dispatch(program, {{"x", x}});
}
