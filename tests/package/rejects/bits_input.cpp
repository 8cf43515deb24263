// rejected: could not convert|no matching (function|constructor)
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include <vyre/vyre.h>

// Its elements are bits without addresses.
auto run(const vyre::Device& device, const vyre::ValidProgram& program, std::vector<bool>& x) {
  return device.dispatch(program, {{"x", x}});
}
