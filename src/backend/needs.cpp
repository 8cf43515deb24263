// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/needs.h"

#include <cstdint>

namespace vyre {
namespace {

struct Number {
  const char* what;
  std::uint64_t asked;
  std::uint64_t given;
};

}  // namespace

std::string lacking(const DeviceInfo& device, const Needs& needs) {
  const std::string name = "`" + device.name + "`";
  for (const Capability capability : needs.capabilities)
    if (!device.has(capability))
      return std::string(to_string(capability)) + " is asked for; " + name + " lacks it";
  const Limits& limits = device.limits;
  const Number numbers[] = {
      {"invocations in a workgroup", needs.workgroup_invocations, limits.workgroup_invocations},
      {"bytes of workgroup memory", needs.workgroup_memory, limits.workgroup_memory},
      {"bytes in a storage binding", needs.storage_binding, limits.storage_binding},
      {"bytes in a buffer", needs.buffer_size, limits.buffer_size},
      {"storage buffers", needs.storage_buffers, limits.storage_buffers}};
  for (const auto& [what, asked, given] : numbers)
    if (asked > given)
      return std::to_string(asked) + " " + what + " are asked for; " + name + " gives " +
             std::to_string(given);
  return {};
}

}  // namespace vyre
