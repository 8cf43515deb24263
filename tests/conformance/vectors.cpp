// SPDX-License-Identifier: MIT OR Apache-2.0
#include "conformance/vectors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "support/numbers.h"

namespace vyre::test {
namespace {

std::optional<ScalarType> type_named(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(ScalarType::i64); ++i)
    if (to_string(static_cast<ScalarType>(i)) == name) return static_cast<ScalarType>(i);
  return std::nullopt;
}

std::uint64_t width_mask(ScalarType type) {
  const unsigned bytes = info(type).bytes;
  return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

std::uint64_t parse_bits(ScalarType type, const std::string& word) {
  if (word == "true") return 1;
  if (word == "false") return 0;
  if (word.starts_with("-"))
    return static_cast<std::uint64_t>(std::strtoll(word.c_str(), nullptr, 10)) & width_mask(type);
  return std::strtoull(word.c_str(), nullptr, word.starts_with("0x") ? 16 : 10);
}

std::uint64_t infinity_bits(ScalarType type) {
  return type == ScalarType::f32 ? 0x7f800000u : 0x7c00u;
}

std::uint64_t sign_bit(ScalarType type) {
  return type == ScalarType::f32 ? 0x80000000u : 0x8000u;
}

Expected parse_expected(ScalarType type, const std::string& word) {
  using Kind = Expected::Kind;
  if (word == "nan") return {Kind::nan};
  if (word == "zero") return {Kind::zero};
  if (word == "half-nan") return {Kind::half_nan};
  if (word == "inf") return {Kind::bits, infinity_bits(type)};
  if (word == "-inf") return {Kind::bits, infinity_bits(type) | sign_bit(type)};
  if (is_float(type) && !word.starts_with("0x"))
    return {Kind::real, 0, std::strtod(word.c_str(), nullptr)};
  return {Kind::bits, parse_bits(type, word)};
}

/// "[u32 u32 -> u32]"
VectorSet parse_heading(const std::string& line) {
  VectorSet set;
  std::istringstream words(line.substr(1, line.size() - 2));
  bool after_arrow = false;
  for (std::string word; words >> word;) {
    const auto type = type_named(word);
    if (word == "->") after_arrow = true;
    if (!type) continue;
    if (after_arrow)
      set.result = *type;
    else
      set.types.push_back(*type);
  }
  return set;
}

Vector parse_row(const VectorSet& set, const std::string& line) {
  Vector row;
  row.text = line;
  std::istringstream words(line);
  std::string word;
  for (const ScalarType type : set.types) {
    words >> word;
    row.operands.push_back(parse_bits(type, word));
  }
  words >> word >> word;
  row.expected = parse_expected(set.result, word);
  return row;
}

/// Within one ulp; an infinity counts as the value one ulp above the largest.
bool is_near(ScalarType type, double exact, std::uint64_t bits) {
  double value = to_double(type, bits);
  if (std::isnan(value)) return false;
  const double limit = std::ldexp(1.0, format_of(type).max_exponent + 1);
  value = std::clamp(value, -limit, limit);
  return std::abs(value - exact) <= ulp_at(type, exact);
}

}  // namespace

std::vector<VectorSet> load_vectors(Op op) {
  std::ifstream file(std::string(VYRE_VECTORS) + "/" + std::string(to_string(op)) + ".txt");
  std::vector<VectorSet> sets;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == '[')
      sets.push_back(parse_heading(line));
    else if (!sets.empty())
      sets.back().rows.push_back(parse_row(sets.back(), line));
  }
  return sets;
}

bool meets(const Expected& expected, ScalarType type, std::uint64_t bits) {
  switch (expected.kind) {
    case Expected::Kind::bits: return bits == expected.bits;
    case Expected::Kind::nan: return is_nan_bits(type, bits);
    case Expected::Kind::zero: return is_zero_bits(type, bits);
    case Expected::Kind::real: return is_near(type, expected.real, bits);
    case Expected::Kind::half_nan: return bits <= 0xffff && is_nan_bits(ScalarType::f16, bits);
  }
  return false;
}

}  // namespace vyre::test
