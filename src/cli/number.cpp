// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/number.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "base/half.h"
#include "base/text_writer.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

template <typename T>
T load_as(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
void store_as(const Number& value, std::byte* to) {
  const T stored = std::visit([](auto held) { return static_cast<T>(held); }, value);
  std::memcpy(to, &stored, sizeof stored);
}

void store_half(const Number& value, std::byte* to) {
  const auto held = std::visit([](auto v) { return static_cast<float>(v); }, value);
  const std::uint16_t bits = float_to_half(held);
  std::memcpy(to, &bits, sizeof bits);
}

unsigned bits_of(ScalarType type) {
  return 8U * info(type).bytes;
}

std::uint64_t largest(ScalarType type) {
  const unsigned value_bits = bits_of(type) - (info(type).kind == ScalarKind::signed_integer);
  return ~std::uint64_t{0} >> (64 - value_bits);
}

/// The magnitude of an integer literal; the sign was taken off.
std::optional<std::uint64_t> parse_magnitude(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view without_suffix(std::string_view text, std::string_view suffixes) {
  const bool hex = text.find_first_of("xX") != std::string_view::npos;
  const bool suffixed = !text.empty() && suffixes.find(text.back()) != std::string_view::npos;
  // The f of 0xff is a digit, and so is that of "inf" a letter of its own.
  return suffixed && !(hex && text.back() == 'f') ? text.substr(0, text.size() - 1) : text;
}

Error not_a(ScalarType type, std::string_view text) {
  return wrong("bad-value", ticked(text) + " is no value of type " + scalar_name(type));
}

Error too_large(ScalarType type, std::string_view text) {
  const bool is_signed = info(type).kind == ScalarKind::signed_integer;
  const std::string least = is_signed ? "-" + std::to_string(largest(type) + 1) : "0";
  return wrong("bad-value", ticked(text) + " does not fit " + scalar_name(type) + ", which holds " +
                                least + " to " + std::to_string(largest(type)));
}

Result<Number> parse_integer(ScalarType type, std::string_view text) {
  const bool is_signed = info(type).kind == ScalarKind::signed_integer;
  std::string_view digits = without_suffix(text, is_signed ? "i" : "u");
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  if (digits.empty() || digits.find_first_not_of("0123456789abcdefABCDEFxX") != digits.npos) {
    return not_a(type, text);
  }
  const auto magnitude = parse_magnitude(digits);
  if (!magnitude) {
    return digits.find_first_not_of("0123456789") == digits.npos ? too_large(type, text)
                                                                 : not_a(type, text);
  }
  const std::uint64_t limit = negative ? (is_signed ? largest(type) + 1 : 0) : largest(type);
  if (*magnitude > limit) return too_large(type, text);
  if (!is_signed) return Number(*magnitude);
  return Number(static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude));
}

/// Rounds to T once, straight from the text: by way of double it would be rounded twice.
template <typename T>
std::optional<double> parse_decimal(std::string_view text) {
  T value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (fault == std::errc{}) return static_cast<double>(value);
  // Out of range: what is too small for T rounds to a zero or a subnormal.
  double wide = 0;
  const auto wider = std::from_chars(text.data(), text.data() + text.size(), wide);
  if (wider.ec != std::errc{} || std::abs(wide) > 1) return std::nullopt;
  return static_cast<double>(static_cast<T>(wide));
}

double largest_float(ScalarType type) {
  return info(type).bytes == 2 ? 65504.0 : static_cast<double>(std::numeric_limits<float>::max());
}

Result<Number> parse_float(ScalarType type, std::string_view text) {
  const bool word = text.ends_with("inf") || text.ends_with("nan");
  std::string_view digits = word ? text : without_suffix(text, "fh");
  if (digits.starts_with('+')) digits.remove_prefix(1);
  const auto value = parse_decimal<float>(digits);
  if (!value) {
    double ignored = 0;
    const auto all = std::from_chars(digits.data(), digits.data() + digits.size(), ignored);
    if (digits.empty() || all.ptr != digits.data() + digits.size()) return not_a(type, text);
  }
  if (!value || (std::isfinite(*value) && std::abs(*value) > largest_float(type))) {
    return wrong("bad-value", ticked(text) + " is beyond " + scalar_name(type) +
                                  ", whose largest value is " +
                                  shortest(static_cast<float>(largest_float(type))));
  }
  return Number(*value);
}

Result<Number> parse_boolean(std::string_view text) {
  if (text == "true" || text == "1") return Number(std::uint64_t{1});
  if (text == "false" || text == "0") return Number(std::uint64_t{0});
  return not_a(ScalarType::boolean, text);
}

}  // namespace

Number load_number(ScalarType type, const std::byte* from) {
  switch (type) {
    case ScalarType::boolean: return std::uint64_t{load_as<std::uint32_t>(from) != 0};
    case ScalarType::u32: return std::uint64_t{load_as<std::uint32_t>(from)};
    case ScalarType::i32: return std::int64_t{load_as<std::int32_t>(from)};
    case ScalarType::f32: return static_cast<double>(load_as<float>(from));
    case ScalarType::u64: return load_as<std::uint64_t>(from);
    case ScalarType::i64: return load_as<std::int64_t>(from);
    case ScalarType::u8: return std::uint64_t{load_as<std::uint8_t>(from)};
    case ScalarType::i8: return std::int64_t{load_as<std::int8_t>(from)};
    case ScalarType::u16: return std::uint64_t{load_as<std::uint16_t>(from)};
    case ScalarType::i16: return std::int64_t{load_as<std::int16_t>(from)};
    case ScalarType::f16:
    case ScalarType::half: return static_cast<double>(half_to_float(load_as<std::uint16_t>(from)));
  }
  return std::uint64_t{0};
}

void store_number(ScalarType type, const Number& value, std::byte* to) {
  switch (type) {
    case ScalarType::boolean:
    case ScalarType::u32: return store_as<std::uint32_t>(value, to);
    case ScalarType::i32: return store_as<std::int32_t>(value, to);
    case ScalarType::f32: return store_as<float>(value, to);
    case ScalarType::u64: return store_as<std::uint64_t>(value, to);
    case ScalarType::i64: return store_as<std::int64_t>(value, to);
    case ScalarType::u8: return store_as<std::uint8_t>(value, to);
    case ScalarType::i8: return store_as<std::int8_t>(value, to);
    case ScalarType::u16: return store_as<std::uint16_t>(value, to);
    case ScalarType::i16: return store_as<std::int16_t>(value, to);
    case ScalarType::f16:
    case ScalarType::half: return store_half(value, to);
  }
}

Result<Number> parse_number_of(ScalarType type, std::string_view text) {
  switch (info(type).kind) {
    case ScalarKind::boolean: return parse_boolean(text);
    case ScalarKind::unsigned_integer:
    case ScalarKind::signed_integer: return parse_integer(type, text);
    case ScalarKind::floating: return parse_float(type, text);
  }
  return not_a(type, text);
}

std::optional<double> parse_double(std::string_view text) {
  return parse_decimal<double>(text);
}

bool looks_like_number(std::string_view text) {
  if (text == "true" || text == "false") return true;
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return true;
  if (text.starts_with('.')) text.remove_prefix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  return text.find_first_not_of("0123456789abcdefABCDEFxX.+-uih") == std::string_view::npos;
}

std::string to_text(ScalarType type, const Number& value) {
  if (type == ScalarType::boolean) return std::get<std::uint64_t>(value) != 0 ? "true" : "false";
  if (const auto* real = std::get_if<double>(&value)) return shortest(static_cast<float>(*real));
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  return std::to_string(std::get<std::uint64_t>(value));
}

}  // namespace vyre::cli
