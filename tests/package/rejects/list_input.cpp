// rejected: could not convert|no matching (function|constructor)
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <list>

#include <vyre/vyre.h>

// Its elements do not lie one after the other.
auto run(const vyre::Device& device, const vyre::ValidProgram& program, const std::list<float>& x) {
  return device.dispatch(program, {{"x", x}});
}
