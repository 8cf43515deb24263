// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/isa.h"

#include <array>
#include <cstdlib>
#include <string_view>

namespace vyre::cpu {

namespace baseline {
extern const Isa kIsa;
}
#if VYRE_CPU_WIDE
namespace avx2 {
extern const Isa kIsa;
}
namespace avx512 {
extern const Isa kIsa;
}
#endif

namespace {

struct Available {
  std::array<const Isa*, 3> isas = {&baseline::kIsa};
  std::size_t count = 1;
};

Available find_available() {
  Available found;
#if VYRE_CPU_WIDE
  if (__builtin_cpu_supports("x86-64-v3") != 0) found.isas[found.count++] = &avx2::kIsa;
  if (__builtin_cpu_supports("x86-64-v4") != 0) found.isas[found.count++] = &avx512::kIsa;
#endif
  return found;
}

const Isa& choose() {
  const auto isas = available_isas();
  if (const char* const wanted = std::getenv("VYRE_CPU_ISA"))
    for (const Isa* const isa : isas)
      if (std::string_view(wanted) == isa->name) return *isa;
  return *isas.back();
}

}  // namespace

std::span<const Isa* const> available_isas() {
  static const Available found = find_available();
  return {found.isas.data(), found.count};
}

const Isa& chosen_isa() {
  static const Isa& chosen = choose();
  return chosen;
}

}  // namespace vyre::cpu
