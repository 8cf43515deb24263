// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "vyre/program.h"

#include "wgsl/checked.h"
#include "wgsl/faults.h"
#include "wgsl/names.h"

/// A checked module to a program: calls become the bodies of the functions, vectors, arrays and
/// structures of values become scalars, and memory keeps its layout.
///
/// What is reached and cannot be said is reported; the program is then unusable.
/// REQUIRES: no fault was reported so far.
namespace vyre::wgsl {

Program to_ir(Checked& module, const Names& names, Faults& faults);

}  // namespace vyre::wgsl
