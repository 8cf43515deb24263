// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>

#include "wgsl/token.h"

namespace vyre::wgsl {
namespace {

bool is_hex(std::string_view text) {
  return text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
}

/// Takes the suffix off an integer's text.
Suffix take_integer_suffix(std::string_view& text) {
  const char last = text.back();
  if (last != 'i' && last != 'u') return Suffix::none;
  text.remove_suffix(1);
  const bool wide = text.back() == 'l';
  if (wide) text.remove_suffix(1);
  if (last == 'i') return wide ? Suffix::li : Suffix::i;
  return wide ? Suffix::lu : Suffix::u;
}

std::uint64_t integer_limit(Suffix suffix) {
  if (suffix == Suffix::i) return std::numeric_limits<std::int32_t>::max();
  if (suffix == Suffix::u) return std::numeric_limits<std::uint32_t>::max();
  if (suffix == Suffix::lu) return std::numeric_limits<std::uint64_t>::max();
  return std::numeric_limits<std::int64_t>::max();
}

std::string_view type_name(Suffix suffix) {
  switch (suffix) {
    case Suffix::i: return "i32";
    case Suffix::u: return "u32";
    case Suffix::f: return "f32";
    case Suffix::h: return "f16";
    case Suffix::li: return "i64";
    case Suffix::lu: return "u64";
    case Suffix::none: return "the abstract numbers";
  }
  return {};
}

void reject(
    std::string_view text, Suffix suffix, std::string_view why, const Expr& expr, Faults& faults) {
  faults.error(Code::invalid_literal, expr.span,
               "the literal `" + clipped(text) + "` " + std::string(why) + " " +
                   std::string(type_name(suffix)));
}

void read_integer(std::string_view text, Expr& expr, Faults& faults) {
  std::string_view digits = text;
  const Suffix suffix = take_integer_suffix(digits);
  const int base = is_hex(digits) ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || value > integer_limit(suffix))
    return reject(text, suffix, "does not fit", expr, faults);
  expr.kind = ExprKind::int_literal;
  expr.suffix = suffix;
  expr.integer = value;
}

/// Takes the suffix off a float's text; a hexadecimal one has it only after an exponent.
Suffix take_float_suffix(std::string_view& text) {
  const char last = text.back();
  if (last != 'f' && last != 'h') return Suffix::none;
  if (is_hex(text) && text.find_first_of("pP") == std::string_view::npos) return Suffix::none;
  text.remove_suffix(1);
  return last == 'f' ? Suffix::f : Suffix::h;
}

/// Precision, and the exponents of the least subnormal and of the first power too large.
struct Format {
  int precision;
  int least_exponent;
  int overflow_exponent;
};

Format format_of(Suffix suffix) {
  if (suffix == Suffix::f) return {24, -149, 128};
  if (suffix == Suffix::h) return {11, -24, 16};
  return {53, -1074, 1024};
}

/// The nearest value of the format to `value`, ties to even; infinite when too large.
double round_to(double value, const Format& format) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - format.precision, format.least_exponent);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::fabs(rounded) >= std::ldexp(1.0, format.overflow_exponent - 1) * 2
             ? std::numeric_limits<double>::infinity()
             : rounded;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return (c | 0x20) - 'a' + 10;
}

struct HexFloat {
  std::uint64_t significand = 0;
  std::int64_t exponent = 0;
  bool inexact = false;  ///< digits beyond 64 bits were dropped
};

HexFloat read_hex_digits(std::string_view text) {
  HexFloat result;
  bool after_point = false;
  std::size_t i = 2;
  for (; i < text.size() && text[i] != 'p' && text[i] != 'P'; ++i) {
    if (text[i] == '.') {
      after_point = true;
      continue;
    }
    const auto digit = static_cast<std::uint64_t>(hex_digit(text[i]));
    if (result.significand >> 60U == 0) {
      result.significand = result.significand << 4U | digit;
      result.exponent -= after_point ? 4 : 0;
    } else {
      result.inexact = result.inexact || digit != 0;
      result.exponent += after_point ? 0 : 4;
    }
  }
  if (i < text.size()) {
    std::string_view digits = text.substr(i + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::int64_t exponent = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    constexpr std::int64_t kFar = 1'000'000'000;
    if (error != std::errc()) exponent = digits.starts_with('-') ? -kFar : kFar;
    result.exponent += std::clamp(exponent, -kFar, kFar);
  }
  return result;
}

/// The value in the format of `suffix`; `exact` tells whether it is the literal's own.
double hex_value(std::string_view text, Suffix suffix, bool& exact) {
  HexFloat read = read_hex_digits(text);
  exact = !read.inexact;
  if (read.significand == 0) return 0;
  while ((read.significand & 1U) == 0) {
    read.significand >>= 1U;
    ++read.exponent;
  }
  const Format format = format_of(suffix);
  const int bits = 64 - std::countl_zero(read.significand);
  exact = exact && bits <= format.precision && read.exponent >= format.least_exponent;
  const auto exponent = static_cast<int>(std::clamp<std::int64_t>(read.exponent, -5000, 5000));
  const double value = std::ldexp(static_cast<double>(read.significand), exponent);
  return round_to(value, format);
}

/// Whether a decimal literal beyond the range of double is a tiny one.  Its leading digit stands
/// for a power of ten that is far from 0, so its sign tells.
bool is_tiny(std::string_view digits) {
  const std::size_t mark = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view significand = digits.substr(0, mark);
  const std::size_t lead = significand.find_first_of("123456789");
  if (lead == std::string_view::npos) return true;
  const std::size_t point = std::min(significand.find('.'), significand.size());
  std::int64_t exponent = 0;
  if (mark < digits.size()) {
    std::string_view text = digits.substr(mark + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (read.ec != std::errc()) return text.starts_with('-');
  }
  return exponent < static_cast<std::int64_t>(lead) - static_cast<std::int64_t>(point);
}

double decimal_value(std::string_view digits, Suffix suffix) {
  const char* end = digits.data() + digits.size();
  if (suffix == Suffix::f) {
    float value = 0;
    const auto read = std::from_chars(digits.data(), end, value);
    if (read.ec == std::errc()) return static_cast<double>(value);
  }
  double value = 0;
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ec == std::errc()) return round_to(value, format_of(suffix));
  return is_tiny(digits) ? 0 : std::numeric_limits<double>::infinity();
}

void read_float(std::string_view text, Expr& expr, Faults& faults) {
  std::string_view digits = text;
  const Suffix suffix = take_float_suffix(digits);
  bool exact = true;
  const bool hex = is_hex(digits);
  const double value = hex ? hex_value(digits, suffix, exact) : decimal_value(digits, suffix);
  if (!std::isfinite(value)) return reject(text, suffix, "is too large for", expr, faults);
  if (hex && !exact && suffix != Suffix::none)
    return reject(text, suffix, "is not exact in", expr, faults);
  expr.kind = ExprKind::float_literal;
  expr.suffix = suffix;
  expr.real = value;
}

}  // namespace

void read_number(std::string_view text, bool is_float, Expr& expr, Faults& faults) {
  return is_float ? read_float(text, expr, faults) : read_integer(text, expr, faults);
}

}  // namespace vyre::wgsl
