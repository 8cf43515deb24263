// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/npy_header.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

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

bool has_big(const NpyType& type) {
  return type.big || std::any_of(type.fields.begin(), type.fields.end(),
                                 [](const NpyField& field) { return has_big(field.type); });
}

/// Turns the big-endian numbers of one element, and of the fields in it.
void to_little_endian(const NpyType& type, std::span<std::byte> element) {
  if (type.fields.empty() && !type.big) return;
  for (std::size_t at = 0; at < element.size(); at += type.bytes) {
    const auto one = element.subspan(at, type.bytes);
    if (type.fields.empty()) std::reverse(one.begin(), one.end());
    for (const NpyField& field : type.fields)
      to_little_endian(field.type, one.subspan(field.offset, *byte_count(field.type)));
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

Error unknown_elements(const NpyHeader& header, const std::string& name) {
  return wrong(
      "bad-npy",
      ticked(name) + " holds elements of dtype " + header.descr + ", which no buffer can have",
      "convert it with numpy's astype");
}

Result<Npy> decode(NpyHeader header, std::vector<std::byte> data, const std::string& name) {
  if (!header.known) return unknown_elements(header, name);
  NpyType whole = header.type;
  whole.shape = header.shape;
  const auto bytes = byte_count(whole);
  if (!bytes || *bytes != data.size()) {
    return malformed(name, "its shape " + shape_text(header.shape) + " of " +
                               dtype_text(header.type) + " does not fit its " +
                               counted(data.size(), "byte") + " of data");
  }
  if (has_big(header.type)) to_little_endian(header.type, data);
  if (header.fortran && header.shape.size() > 1)
    data = to_c_order(data, header.type.bytes, header.shape);
  return Npy{header.type.dtype, std::move(header.type), std::move(header.shape), std::move(data)};
}

/// "'<f4'", or a list of fields.
std::string descr_of(const NpyType& type) {
  if (type.fields.empty()) {
    const char order = type.bytes == 1 ? '|' : '<';
    return "'" + std::string(1, order) + std::string(npy_code(type.dtype)) + "'";
  }
  std::string text = "[";
  for (const NpyField& field : type.fields) {
    text += (text.size() == 1 ? "('" : ", ('") + field.name + "', " + descr_of(field.type);
    if (!field.type.shape.empty()) text += ", " + shape_text(field.type.shape);
    text += ")";
  }
  return text + "]";
}

}  // namespace

Result<Npy> parse_npy(std::vector<std::byte> bytes, const std::string& name) {
  VYRE_TRY(const Split split, split_file(bytes, name));
  auto header = parse_npy_header(split.header);
  if (!header)
    return malformed(name, "its header is not a dictionary of descr, fortran_order and shape");
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(split.data_at));
  return decode(*std::move(header), std::move(bytes), name);
}

std::vector<std::byte> format_npy(const NpyType& element,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data) {
  std::string header = "{'descr': " + descr_of(element) +
                       ", 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t kShortHeader = 65000;  // of version 1; what is longer takes version 2
  const bool is_long = header.size() > kShortHeader;
  const std::size_t prefix_bytes = is_long ? 12 : 10;
  constexpr std::size_t kAlignment = 64;  // NumPy aligns the data so
  const std::size_t used = prefix_bytes + header.size() + 1;
  header.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string prefix(kMagic);
  prefix += {is_long ? '\2' : '\1', '\0'};
  for (std::size_t i = 0; i < prefix_bytes - 8; ++i)
    prefix += static_cast<char>(header.size() >> (8 * i) & 0xffU);
  std::vector<std::byte> file(prefix.size() + header.size() + data.size());
  std::byte* to = file.data();
  for (const auto part :
       {std::as_bytes(std::span(prefix)), std::as_bytes(std::span(header)), data}) {
    if (!part.empty()) std::memcpy(to, part.data(), part.size());
    to += part.size();
  }
  return file;
}

std::vector<std::byte> format_npy(ScalarType scalar,
                                  std::span<const std::uint64_t> shape,
                                  std::span<const std::byte> data) {
  return format_npy(npy_type(scalar), shape, data);
}

std::string dtype_of(ScalarType scalar) {
  return npy_type(scalar).dtype;
}

NpyType npy_type(ScalarType scalar) {
  return npy_type_of(code_of(scalar));
}

std::string dtype_text(const NpyType& type) {
  return type.fields.empty() ? type.dtype : descr_of(type);
}

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace vyre::cli
