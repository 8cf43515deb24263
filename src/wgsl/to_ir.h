// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "vyre/program.h"

#include "wgsl/checked.h"
#include "wgsl/faults.h"
#include "wgsl/names.h"

/// A checked module to a program: calls become the bodies of the functions, vectors, arrays and
/// structures of values become scalars, and memory keeps its layout.
///
/// What is reached and cannot be said is reported; the program is then unusable.
/// REQUIRES: no fault of what is reached was reported so far.
namespace vyre::wgsl {

struct Bindings;

/// Makes the programs of a module's entry points, one after the other, in time that follows what
/// each of them reaches and not the size of the module.
class ToIr {
 public:
  ToIr(const Names& names, Faults& faults);
  ~ToIr();
  ToIr(const ToIr&) = delete;
  ToIr& operator=(const ToIr&) = delete;
  /// Of `module.entry`.
  Program operator()(Checked& module);

 private:
  const Names& names_;
  Faults& faults_;
  std::unique_ptr<Bindings> bindings_;
};

}  // namespace vyre::wgsl
