// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "vyre/program.h"
#include "vyre/result.h"

/// The only way to a `ValidProgram`, and so to a device.
namespace vyre {

/// A program that was checked: types, memory, control flow, uniformity.  Immutable and shared;
/// copying it copies a pointer.  May be used from any thread.  One that was moved from shows an
/// empty program, and calls that take it give the error `empty-handle`.
class ValidProgram {
 public:
  [[nodiscard]] const Program& program() const { return program_ ? *program_ : none(); }
  const Program* operator->() const { return &program(); }
  /// True once it was moved from.
  [[nodiscard]] bool empty() const { return program_ == nullptr; }
  [[nodiscard]] const Hash& hash() const { return hash_; }

 private:
  friend Result<ValidProgram> validate(Program program);
  friend Result<ValidProgram> validate_judged(Program program);
  ValidProgram(std::shared_ptr<const Program> program, Hash hash)
      : program_(std::move(program)), hash_(hash) {}
  static const Program& none();

  std::shared_ptr<const Program> program_;
  Hash hash_;
};

/// Checks everything at once.  On failure the error carries all diagnostics, with places when the
/// program came from text.  Never recurses over statements: any nesting is handled.  Fails with
/// `out_of_memory` where the host has no memory for it.
Result<ValidProgram> validate(Program program);

}  // namespace vyre
