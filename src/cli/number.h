// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "vyre/result.h"
#include "vyre/type.h"

/// One scalar, between text, memory and arithmetic.
namespace vyre::cli {

/// Unsigned integers and booleans, signed integers, floats: each wide enough to be exact.
using Number = std::variant<std::uint64_t, std::int64_t, double>;

/// Reads `info(type).bytes` bytes.
Number load_number(ScalarType type, const std::byte* from);
/// Writes `info(type).bytes` bytes; integers keep their low bits, floats round to nearest even.
void store_number(ScalarType type, const Number& value, std::byte* to);

/// `text` as a value of `type`: decimal or 0x… integers, decimal floats, inf, nan, true, false,
/// with WGSL's suffixes.  What `type` cannot hold is an error, never wrapped.
Result<Number> parse_number_of(ScalarType type, std::string_view text);
/// A decimal float and nothing else, rounded to double.
std::optional<double> parse_double(std::string_view text);
/// True if `text` looks like a number or a truth value, whether or not some type can hold it.
bool looks_like_number(std::string_view text);

/// The shortest text that reads back to the same value.
std::string to_text(ScalarType type, const Number& value);

}  // namespace vyre::cli
