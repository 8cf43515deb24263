// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/words.h"

namespace vyre::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

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

struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<std::uint64_t> shape;
};

/// Reads the one form of dictionary that a header can be.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  std::optional<Header> parse() {
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

  bool entry() {
    const auto key = string();
    if (!key || !take(':')) return false;
    if (*key == "descr") return once(kDescr) && descr();
    if (*key == "fortran_order") return once(kFortran) && fortran();
    return *key == "shape" && once(kShape) && shape();
  }

  bool descr() {
    auto text = string();
    if (!text) return false;
    header_.descr = *text;
    return true;
  }

  bool fortran() {
    header_.fortran = take_word("True");
    return header_.fortran || take_word("False");
  }

  bool shape() {
    if (!take('(')) return false;
    while (!take(')')) {
      skip_space();
      std::uint64_t count = 0;
      const auto [end, fault] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), count);
      if (fault != std::errc{}) return false;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      take_word("L");  // Python 2 wrote long integers
      header_.shape.push_back(count);
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
  Header header_;
};

Error malformed(const std::string& name, const std::string& what) {
  return wrong("bad-npy", ticked(name) + " is no .npy file: " + what,
               "write it with numpy.save, or give it another ending to read it as raw bytes");
}

std::size_t little_endian(std::span<const std::byte> bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8 | std::to_integer<std::size_t>(bytes[i]);
  return value;
}

struct Split {
  std::string_view header;
  std::size_t data_at = 0;
};

Result<Split> split_file(std::span<const std::byte> bytes, const std::string& name) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic))
    return malformed(name, "it does not start with NumPy's magic bytes");
  if (bytes.size() < 12) return malformed(name, "it ends within its header");
  const auto version = std::to_integer<unsigned>(bytes[6]);
  if (version < 1 || version > 3) {
    return malformed(name, "its version is " + std::to_string(version) + ", not 1, 2 or 3");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::size_t at = 8 + length_bytes;
  const std::size_t length = little_endian(bytes.subspan(8, length_bytes));
  if (length > bytes.size() - at) return malformed(name, "it ends within its header");
  return Split{text.substr(at, length), at + length};
}

const Dtype* find_dtype(std::string_view code) {
  for (const Dtype& dtype : kDtypes) {
    if (dtype.code == code) return &dtype;
  }
  return nullptr;
}

/// Elements of a shape; nothing if they are more than memory can have.
std::optional<std::size_t> element_count(std::span<const std::uint64_t> shape) {
  std::size_t count = 1;
  for (const std::uint64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

void swap_bytes(std::span<std::byte> data, std::size_t width) {
  for (std::size_t at = 0; at + width <= data.size(); at += width) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(at),
                 data.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
}

/// Fortran order has the first index vary fastest; walks the C order and fetches from there.
std::vector<std::byte> to_c_order(std::span<const std::byte> data,
                                  std::size_t width,
                                  std::span<const std::uint64_t> shape) {
  std::vector<std::byte> out(data.size());
  std::vector<std::size_t> strides(shape.size(), width);
  for (std::size_t i = 1; i < shape.size(); ++i)
    strides[i] = strides[i - 1] * shape[i - 1];
  std::vector<std::uint64_t> index(shape.size(), 0);
  std::size_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += width) {
    std::memcpy(out.data() + to, data.data() + from, width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

std::string_view code_of(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::boolean:
    case ScalarType::u32: return "u4";
    case ScalarType::i32: return "i4";
    case ScalarType::f32: return "f4";
    case ScalarType::f16:
    case ScalarType::half: return "f2";
    case ScalarType::u64: return "u8";
    case ScalarType::i64: return "i8";
    case ScalarType::u8: return "u1";
    case ScalarType::i8: return "i1";
    case ScalarType::u16: return "u2";
    case ScalarType::i16: return "i2";
  }
  return {};
}

Result<Npy> decode(const Header& header, std::vector<std::byte> data, const std::string& name) {
  const std::string_view descr = header.descr;
  const bool ordered = !descr.empty() && std::string_view("<>|=").find(descr[0]) != descr.npos;
  const Dtype* dtype = ordered ? find_dtype(descr.substr(1)) : nullptr;
  if (dtype == nullptr) {
    return wrong(
        "bad-npy",
        ticked(name) + " holds elements of dtype '" + header.descr + "', which no buffer can have",
        "convert it with numpy's astype");
  }
  const auto count = element_count(header.shape);
  std::size_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, dtype->bytes, &bytes) || bytes != data.size()) {
    return malformed(name, "its shape " + shape_text(header.shape) + " of " +
                               std::string(dtype->name) + " does not fit its " +
                               counted(data.size(), "byte") + " of data");
  }
  if (descr[0] == '>') swap_bytes(data, dtype->bytes);
  if (header.fortran && header.shape.size() > 1)
    data = to_c_order(data, dtype->bytes, header.shape);
  return Npy{std::string(dtype->name), header.shape, std::move(data)};
}

}  // namespace

Result<Npy> parse_npy(std::vector<std::byte> bytes, const std::string& name) {
  VYRE_TRY(const Split split, split_file(bytes, name));
  auto header = HeaderParser(split.header).parse();
  if (!header)
    return malformed(name, "its header is not a dictionary of descr, fortran_order and shape");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(split.data_at));
  return decode(*header, std::move(bytes), name);
}

std::vector<std::byte> format_npy(ScalarType scalar,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data) {
  const char order = info(scalar).bytes == 1 ? '|' : '<';
  std::string header = "{'descr': '" + std::string(1, order) + std::string(code_of(scalar)) +
                       "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t kPrefix = 10;
  constexpr std::size_t kAlignment = 64;  // NumPy aligns the data so
  const std::size_t used = kPrefix + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string prefix(kMagic);
  prefix +=
      {'\1', '\0', static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8)};
  std::vector<std::byte> file(prefix.size() + header.size() + data.size());
  std::byte* to = file.data();
  for (const auto part :
       {std::as_bytes(std::span(prefix)), std::as_bytes(std::span(header)), data}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return file;
}

std::string dtype_of(ScalarType scalar) {
  return std::string(find_dtype(code_of(scalar))->name);
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace vyre::cli
