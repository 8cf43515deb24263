// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "validate/faults.h"

/// The checks that `validate` is made of, in the order in which they run.
///
/// Each adds all faults it finds.  None recurses over statements; each is linear in the program's
/// size, but for the few bounds that its comment names.
namespace vyre {

/// What the checks share.
struct Inspection {
  const Program& program;
  bool lowered = false;  ///< see validate.h
  Faults faults;
};

/// Ids and enumerators are in range, blocks and statements form a tree, expressions are trees no
/// deeper than promised, ids ascend.  The later checks rely on a program without such faults.
void check_references(Inspection& inspection);

/// The workgroup's size, layouts and buffers.
void check_declarations(Inspection& inspection);

/// Each statement and expression by itself and in its scope: types, memory, visibility, targets of
/// jumps.  False if scopes or jumps are faulty, so that control flow makes no sense.
[[nodiscard]] bool check_statements(Inspection& inspection);

/// Barriers, uniform loads and subgroup operations are reached by all invocations or by none.
/// REQUIRES: check_statements returned true.
void check_uniformity(Inspection& inspection);

}  // namespace vyre
