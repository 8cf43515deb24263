// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Values as bytes of this host, and back.
///
/// Reading is safe on any bytes: what is not there reads as zero or empty, and `ok` tells.  Own
/// their state; one thread at a time.
namespace vyre {

class ByteWriter {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  void put(T value) { append(&value, sizeof value); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    append(text.data(), text.size());
  }
  void put(std::span<const std::byte> bytes) {
    put(std::uint64_t{bytes.size()});
    append(bytes.data(), bytes.size());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  void append(const void* from, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::byte> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T>
  [[nodiscard]] T get() {
    T value{};
    const auto from = bytes(sizeof value);
    if (!from.empty()) std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> get_bytes() { return bytes(get<std::uint64_t>()); }
  [[nodiscard]] std::string get_text() {
    const auto from = get_bytes();
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
  /// How many things follow, each of at least `least` bytes: a count that cannot be is not `ok`.
  [[nodiscard]] std::size_t get_count(std::size_t least) {
    const auto count = get<std::uint64_t>();
    if (count <= rest_.size() / least) return static_cast<std::size_t>(count);
    ok_ = false;
    return 0;
  }
  /// Everything that was asked for was there.
  [[nodiscard]] bool ok() const { return ok_; }
  /// And nothing is left.
  [[nodiscard]] bool done() const { return ok_ && rest_.empty(); }

 private:
  std::span<const std::byte> bytes(std::uint64_t size) {
    ok_ = ok_ && size <= rest_.size();
    if (!ok_) return {};
    const auto part = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(part.size());
    return part;
  }

  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace vyre
