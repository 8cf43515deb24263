// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

/// `vyre devices`: what is here, why something is not, which one "auto" takes.
namespace vyre::cli {

void devices(bool json);

}  // namespace vyre::cli
