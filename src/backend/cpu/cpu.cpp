// SPDX-License-Identifier: MIT OR Apache-2.0
#include <fstream>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/driver.h"

namespace vyre::cpu {
namespace {

/// The processor's name as the system gives it.
std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name")) {
      const std::size_t colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  return "host processor";
}

/// Bytes of the machine's memory; what is asked for beyond it would only be found missing later.
std::uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
}

DeviceInfo describe() {
  DeviceInfo info;
  info.backend = "cpu";
  info.name = processor_name();
  info.driver = "vyre";
  info.kind = DeviceKind::cpu;
  info.limits.local_memory = std::uint64_t{1} << 20;
  info.limits.buffer_size = memory_bytes();
  info.capabilities = {Capability::f16, Capability::int64, Capability::subgroups};
  info.float_exact = true;
  info.keeps_subnormals = true;
  info.has_timestamps = true;
  return info;
}

}  // namespace

const Backend& backend() {
  static const Backend row = {
      .name = "cpu",
      .list = [] { return std::vector<DeviceEntry>{{.info = describe(), .available = true}}; },
      .open = [](std::uint32_t) { return open_driver(describe()); }};
  return row;
}

}  // namespace vyre::cpu
