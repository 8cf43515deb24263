// rejected: no matching function for call to .*dispatch
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/vyre.h>

auto run(const vyre::Device& device, const vyre::Program& program) {
  return device.dispatch(program, {});
}
