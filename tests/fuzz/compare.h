// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <span>
#include <string>

#include "fuzz/fuzz_case.h"
#include "support/accuracy.h"

/// Whether two runs of one program gave the same.
namespace vyre::test {

/// The first difference between two contents of a buffer; empty if there is none.  Any NaN equals
/// any NaN where the layout has a float.
std::string difference(const Program& program,
                       const HostBuffer& buffer,
                       std::span<const std::byte> expected,
                       std::span<const std::byte> got);

/// The first fault among the probes of two runs: other operands, or a result out of its bound.
std::string probe_fault(const FuzzCase& made,
                        std::span<const std::byte> expected,
                        std::span<const std::byte> got,
                        const Numerics& numerics);

}  // namespace vyre::test
