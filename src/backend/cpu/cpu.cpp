// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/driver.h"

namespace vyre::cpu {
namespace {

/// The processor's name as the system gives it.
std::string processor_name() {
  std::array<char, 4096> text;  // it stands at the head
  const int file = ::open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? 0 : ::read(file, text.data(), text.size());
  if (file >= 0) ::close(file);
  const std::string_view info(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t line = info.find("\nmodel name");
  const std::size_t colon = line == std::string_view::npos ? line : info.find(": ", line);
  if (colon == std::string_view::npos) return "host processor";
  return std::string(info.substr(colon + 2, info.find('\n', colon) - colon - 2));
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
