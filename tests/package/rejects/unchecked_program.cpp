// rejected: private
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <memory>

#include <vyre/vyre.h>

// Only `validate` makes a ValidProgram.
vyre::ValidProgram program(std::make_shared<const vyre::Program>(), vyre::Hash{});
