// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include "backend/cpu/isa.h"
#include "backend/cpu/isa/strip.h"
#include "backend/cpu/isa/tests.h"

/// The table of one instruction set.
/// Compiled once per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

#define VYRE_QUOTE(name) #name
#define VYRE_NAME_OF(name) VYRE_QUOTE(name)

Kernel pure_kernel(Op op, ScalarType type, ScalarType result);
Kernel pair_kernel(Op inner, Op outer, bool is_right, ScalarType type);

extern const Isa kIsa;
const Isa kIsa = {.name = VYRE_NAME_OF(VYRE_CPU_ISA),
                  .pure_kernel = pure_kernel,
                  .pair_kernel = pair_kernel,
                  .test_kernel = test_kernel,
                  .advance = advance,
                  .splat = splat,
                  .count_up = count_up,
                  .shift_by = shift_by,
                  .blend = blend,
                  .to_mask = to_mask,
                  .equal_to = equal_to,
                  .below = below,
                  .counts_up = counts_up};

}  // namespace vyre::cpu::VYRE_CPU_ISA
