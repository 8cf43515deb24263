// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/capabilities.h"

#include <algorithm>
#include <string>

#include "validate/validate.h"

namespace vyre::cpu {

Status check_capabilities(const Program& program) {
  for (const Capability needed : needed_capabilities(program))
    if (std::find(kCapabilities.begin(), kCapabilities.end(), needed) == kCapabilities.end())
      return Error(ErrorKind::unsupported, "needs-capability",
                   "kernel `" + program.name + "` needs the capability " +
                       std::string(to_string(needed)) + ", which the cpu does not have",
                   "choose a device that has it, or another type or operation");
  return Ok{};
}

}  // namespace vyre::cpu
