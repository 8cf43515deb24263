// rejected: no matching (member )?function|constraint
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/vyre.h>

// No kernel writes addresses of the host.
auto view(const vyre::Outputs& outputs) {
  return outputs.as<float*>("y");
}
