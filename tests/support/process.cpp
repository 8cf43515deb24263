// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/process.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <unistd.h>

namespace vyre::test {
namespace {

std::uint64_t system_value(int name) {
  const long value = sysconf(name);
  return value < 0 ? 0 : static_cast<std::uint64_t>(value);
}

}  // namespace

Usage usage_of_process() {
  Usage usage;
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  if (std::ifstream("/proc/self/statm") >> all >> resident)
    usage.resident_bytes = resident * system_value(_SC_PAGESIZE);
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (!error)
    usage.open_files = static_cast<std::uint64_t>(std::distance(begin(files), end(files)));
  return usage;
}

std::uint64_t physical_memory() {
  return system_value(_SC_PHYS_PAGES) * system_value(_SC_PAGESIZE);
}

}  // namespace vyre::test
