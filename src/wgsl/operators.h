// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "vyre/op.h"

#include "wgsl/ast.h"

/// The IR's operator for each operator of WGSL.
namespace vyre::wgsl {

Op ir_op(BinaryOp op);
/// `&` and `|` on booleans are logical.
Op ir_op(BinaryOp op, bool boolean);

}  // namespace vyre::wgsl
