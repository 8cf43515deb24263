// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "lower/lower.h"
#include "vyre/program.h"
#include "vyre/result.h"

/// The passes of `lower`, each in the file of its name.  The list in `lower.cpp` orders them and
/// says when each is needed.  Every pass keeps the program's meaning.  Pure; any thread.
namespace vyre {

/// Lists the words of the launch block that the program reads, in the order of first use.
Status number_launch(Lowered& lowered);

}  // namespace vyre
