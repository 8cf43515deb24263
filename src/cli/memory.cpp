// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

#include <sys/stat.h>

#include "base/file.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> first_number(const char* path) {
  std::uint64_t value = 0;
  std::ifstream file(path);
  return file >> value ? std::optional(value) : std::nullopt;  // "max" is no number
}

std::uint64_t machine_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string key; file >> key; file.ignore(100, '\n')) {
    std::uint64_t kilobytes = 0;
    if (key == "MemAvailable:" && file >> kilobytes) return kilobytes * 1024;
  }
  return kUnknown;
}

/// What the container this runs in may still take.
std::uint64_t container_memory() {
  const auto limit = first_number("/sys/fs/cgroup/memory.max");
  const auto used = first_number("/sys/fs/cgroup/memory.current");
  if (!limit || !used) return kUnknown;
  return *limit - std::min(*limit, *used);
}

}  // namespace

std::uint64_t available_memory() {
  return std::min(machine_memory(), container_memory());
}

Status check_memory(std::uint64_t bytes, const std::string& what) {
  constexpr std::uint64_t kAlwaysThere = std::uint64_t{64} << 20;  // not worth the question
  if (bytes <= kAlwaysThere) return Ok{};
  const std::uint64_t available = available_memory();
  if (bytes <= available) return Ok{};
  return wrong("too-large",
               what + " needs " + counted(bytes, "byte") + ", but " + counted(available, "byte") +
                   " of memory are free",
               "ask for fewer elements");
}

bool has_size(const std::string& file) {
  struct stat status = {};
  return ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::uint64_t readable_bytes(bool sized) {
  return std::min(available_memory() / (sized ? 1 : 2), kAllBytes);
}

Result<std::vector<std::byte>> allocate_zeros(std::uint64_t bytes, const std::string& what) {
  VYRE_CHECK_OK(check_memory(bytes, what));
  try {
    return std::vector<std::byte>(bytes);
  } catch (const std::bad_alloc&) {
    return wrong("too-large", what + " needs " + counted(bytes, "byte") + ", which cannot be had");
  }
}

}  // namespace vyre::cli
