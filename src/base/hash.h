// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// 128-bit content hashes (XXH3): the same on every host and in every version.  They tell contents
/// apart; they do not withstand an adversary who seeks collisions.
namespace vyre {

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  /// 32 lower-case hexadecimal digits, the high half first.
  [[nodiscard]] std::string to_hex() const;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};

Hash128 hash_bytes(std::span<const std::byte> bytes);
Hash128 hash_text(std::string_view text);

/// For unordered containers.
struct Hash128Hasher {
  std::size_t operator()(const Hash128& hash) const { return static_cast<std::size_t>(hash.low); }
};

}  // namespace vyre
