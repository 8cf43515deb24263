// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>

#include "ir/layout.h"
#include "validate/checks.h"

/// Memory references: where they lead, and what may be done there.
namespace vyre {

enum class MemoryUse : std::uint8_t { load, store, atomic, uniform_load };

/// Checks the reference and the use of it; nothing if it leads nowhere, which was then reported.
std::optional<Address> check_memory(Inspection& inspection,
                                    StmtId at,
                                    const MemoryRef& ref,
                                    MemoryUse use);

/// True if a program may write to the buffer.
bool is_writable(const BufferDecl& buffer);

}  // namespace vyre
