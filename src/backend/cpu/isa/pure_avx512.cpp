// SPDX-License-Identifier: MIT OR Apache-2.0
#define VYRE_CPU_ISA avx512
#include "backend/cpu/isa/divide.h"
#include "backend/cpu/isa/pairs.h"
#include "backend/cpu/isa/pure.h"
#include "backend/cpu/isa/wide.h"
