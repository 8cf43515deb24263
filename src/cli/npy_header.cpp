// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/npy_header.h"

#include <charconv>
#include <utility>

namespace vyre::cli {
namespace {

struct Dtype {
  std::string_view code;  ///< without byte order
  std::string_view name;
  std::size_t bytes;
};
constexpr Dtype kDtypes[] = {
    {"b1", "bool", 1},    {"u1", "uint8", 1},   {"i1", "int8", 1},   {"u2", "uint16", 2},
    {"i2", "int16", 2},   {"f2", "float16", 2}, {"u4", "uint32", 4}, {"i4", "int32", 4},
    {"f4", "float32", 4}, {"u8", "uint64", 8},  {"i8", "int64", 8},  {"f8", "float64", 8},
};

/// Reads the one form of dictionary that a header can be.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<NpyHeader> parse() {
    if (!take('{')) return std::nullopt;
    while (!take('}')) {
      if (!entry() || (!take(',') && !ahead('}'))) return std::nullopt;
    }
    skip_space();
    if (!rest_.empty() || seen_ != (kDescr | kFortran | kShape)) return std::nullopt;
    return std::move(header_);
  }

 private:
  static constexpr unsigned kDescr = 1;
  static constexpr unsigned kFortran = 2;
  static constexpr unsigned kShape = 4;
  static constexpr int kMostNested = 32;  ///< records in records

  bool entry() {
    const auto key = string();
    if (!key || !take(':')) return false;
    if (*key == "descr") return once(kDescr) && descr();
    if (*key == "fortran_order") return once(kFortran) && fortran();
    return *key == "shape" && once(kShape) && shape(header_.shape);
  }

  bool descr() {
    skip_space();
    const std::string_view before = rest_;
    if (!type(header_.type, 0)) return false;
    header_.descr = before.substr(0, before.size() - rest_.size());
    return true;
  }

  bool type(NpyType& type, int nested) {
    if (take('[')) return nested < kMostNested && record(type, nested);
    const auto text = string();
    if (text) number(type, *text);
    return text.has_value();
  }

  /// What is no number that is known is a gap, or of no use.
  void number(NpyType& type, std::string_view text) {
    const bool ordered = !text.empty() && std::string_view("<>|=").find(text[0]) != text.npos;
    const std::string_view code = ordered ? text.substr(1) : "";
    for (const Dtype& dtype : kDtypes) {
      if (dtype.code == code) type = {std::string(dtype.name), dtype.bytes, {}, {}, text[0] == '>'};
    }
    if (code.starts_with('V')) {
      const char* const end = code.data() + code.size();
      if (std::from_chars(code.data() + 1, end, type.bytes).ptr == end) type.dtype = "void";
    }
    header_.known = header_.known && !type.dtype.empty();
  }

  /// [('x', '<f4'), ('v', '<f4', (3,)), ('inner', [('n', '<u4')])]
  bool record(NpyType& type, int nested) {
    while (!take(']')) {
      NpyField field;
      if (!take('(') || !name(field.name) || !take(',') || !this->type(field.type, nested + 1) ||
          (take(',') && ahead('(') && !shape(field.type.shape)))
        return false;
      take(',');
      if (!take(')') || (!take(',') && !ahead(']'))) return false;
      field.offset = type.bytes;
      const auto bytes = byte_count(field.type);
      if (!bytes || __builtin_add_overflow(type.bytes, *bytes, &type.bytes)) return false;
      type.fields.push_back(std::move(field));
    }
    header_.known = header_.known && type.bytes != 0;
    return true;
  }

  /// A name, or a title and a name.
  bool name(std::string& name) {
    const bool titled = take('(');
    if (titled && (!string() || !take(','))) return false;
    const auto text = string();
    if (text) name = *text;
    return text && (!titled || take(')'));
  }

  bool fortran() {
    header_.fortran = take_word("True");
    return header_.fortran || take_word("False");
  }

  bool shape(std::vector<std::uint64_t>& shape) {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      std::uint64_t count = 0;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
      if (fault != std::errc{}) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take_word("L");  // Python 2 wrote long integers
      shape.push_back(count);
      if (!take(',') && !ahead(')')) return false;
    }
    return true;
  }

  bool once(unsigned key) {
    const bool again = (seen_ & key) != 0;
    seen_ |= key;
    return !again;
  }

  std::optional<std::string_view> string() {
    skip_space();
    if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"')) return std::nullopt;
    const std::size_t end = rest_.find(rest_.front(), 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }

  void skip_space() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n')) {
      rest_.remove_prefix(1);
    }
  }
  bool ahead(char c) {
    skip_space();
    return !rest_.empty() && rest_.front() == c;
  }
  bool take(char c) {
    const bool there = ahead(c);
    if (there) rest_.remove_prefix(1);
    return there;
  }
  bool take_word(std::string_view word) {
    skip_space();
    const bool there = rest_.starts_with(word);
    if (there) rest_.remove_prefix(word.size());
    return there;
  }

  std::string_view rest_;
  unsigned seen_ = 0;
  NpyHeader header_;
};

}  // namespace

std::optional<NpyHeader> parse_npy_header(std::string_view text) {
  return HeaderParser(text).parse();
}

std::string_view npy_code(std::string_view dtype) {
  for (const Dtype& known : kDtypes)
    if (known.name == dtype) return known.code;
  return {};
}

NpyType npy_type_of(std::string_view letters) {
  for (const Dtype& known : kDtypes)
    if (known.code == letters) return {std::string(known.name), known.bytes, {}, {}, false};
  return {};
}

std::optional<std::size_t> byte_count(const NpyType& type) {
  std::size_t bytes = type.bytes;
  for (const std::uint64_t extent : type.shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return std::nullopt;
  }
  return bytes;
}

}  // namespace vyre::cli
