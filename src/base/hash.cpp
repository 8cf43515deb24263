// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace vyre {

std::string Hash128::to_hex() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(32, '0');
  for (unsigned i = 0; i < 16; ++i) {
    text[i] = kDigits[high >> (60 - 4 * i) & 0xFU];
    text[16 + i] = kDigits[low >> (60 - 4 * i) & 0xFU];
  }
  return text;
}

Hash128 hash_bytes(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {.high = hash.high64, .low = hash.low64};
}

Hash128 hash_text(std::string_view text) {
  return hash_bytes(std::as_bytes(std::span(text)));
}

}  // namespace vyre
