// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/source.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <unistd.h>
#include <utility>

#include "base/file.h"
#include "cli/memory.h"
#include "cli/npy.h"
#include "cli/npy_header.h"
#include "cli/number.h"
#include "cli/png.h"
#include "cli/record.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

/// A buffer, with the question that every source asks about it.
struct Target {
  const Program& program;
  const BufferDecl& buffer;
  Extent room;

  [[nodiscard]] std::string text() const { return described(program, buffer); }
};

/// Zeros for `count` elements.
Result<std::vector<std::byte>> make_bytes(const Target& target,
                                          std::uint64_t count,
                                          std::string_view source) {
  if (count > target.room.max_count) {
    return wrong("wrong-length", target.text() + " holds at most " +
                                     counted(target.room.max_count, "element") + ", but " +
                                     ticked(source) + " has " + std::to_string(count));
  }
  return allocate_zeros(target.room.fixed_bytes + count * target.room.stride, target.text());
}

// ------------------------------------------------------------------------------- raw bytes

std::uint64_t most_bytes(const Extent& room) {
  return room.fixed_bytes + room.max_count * room.stride;
}

/// A pipe or a device may never end: nobody reads more of it than the buffer takes.
Error endless(const Target& target, std::string_view source) {
  return wrong("wrong-length", target.text() + " holds at most " +
                                   counted(most_bytes(target.room), "byte") + ", but " +
                                   std::string(source) + " has more");
}

/// What is read of a source: all of a file that has a size, else what the buffer takes.
template <typename Read>
Result<std::vector<std::byte>> read_within(const Target& target,
                                           std::string_view source,
                                           bool sized,
                                           const Read& read) {
  const std::uint64_t readable = readable_bytes(sized);
  const bool bounded = !sized && most_bytes(target.room) < readable;
  auto bytes = read(bounded ? most_bytes(target.room) : readable);
  if (!bytes && bounded && bytes.error().code() == "file-too-large") return endless(target, source);
  return bytes;
}

/// Bytes that are missing up to whole elements.
std::uint64_t missing_bytes(const Extent& room, std::uint64_t size) {
  if (size < room.fixed_bytes) return room.fixed_bytes - size;
  const std::uint64_t beyond = (size - room.fixed_bytes) % room.stride;
  return beyond == 0 ? 0 : room.stride - beyond;
}

std::string element_text(const Extent& room) {
  std::string elements = "whole elements of " + counted(room.stride, "byte");
  if (room.fixed_bytes == 0) return elements;
  return counted(room.fixed_bytes, "byte") + " and " + elements;
}

Result<Supplied> from_raw(const Target& target,
                          std::vector<std::byte> bytes,
                          const std::string& source,
                          bool pad) {
  const Extent& room = target.room;
  if (bytes.size() > most_bytes(room)) {
    return wrong("wrong-length", target.text() + " holds at most " +
                                     counted(most_bytes(room), "byte") + ", but " + source +
                                     " has " + std::to_string(bytes.size()));
  }
  const std::uint64_t missing = missing_bytes(room, bytes.size());
  if (missing != 0 && !pad) {
    return wrong("wrong-length",
                 target.text() + " takes " + element_text(room) + ", but " + source + " has " +
                     counted(bytes.size(), "byte"),
                 "--pad adds " + counted(missing, "zero byte") + " at the end");
  }
  bytes.resize(bytes.size() + missing);
  return Supplied{std::move(bytes), missing};
}

// ------------------------------------------------------------------------------------ .npy

Error wrong_shape(const Target& target,
                  const std::string& file,
                  const Npy& npy,
                  const std::string& wanted) {
  return wrong("wrong-shape", target.text() + " takes shape " + wanted + ", but " + ticked(file) +
                                  " has " + shape_text(npy.shape));
}

std::string wanted_shape(const Strided& type, bool runtime) {
  if (!runtime) return shape_text(type.shape);
  if (type.shape.size() == 1) return "(N,)";
  std::string text = "(N";
  for (std::size_t i = 1; i < type.shape.size(); ++i)
    text += ", " + std::to_string(type.shape[i]);
  return text + ")";
}

/// Rows of an array: the last axes are those of an element, and all axes before them count rows,
/// so that a picture of (H, W) fills an `array<u32>`.
std::optional<std::uint64_t> row_count(const Strided& type, std::span<const std::uint64_t> shape) {
  const std::size_t inner = type.shape.size() - 1;
  if (shape.size() <= inner) return std::nullopt;
  if (!std::equal(type.shape.begin() + 1, type.shape.end(),
                  shape.end() - static_cast<std::ptrdiff_t>(inner))) {
    return std::nullopt;
  }
  std::uint64_t rows = 1;
  for (const std::uint64_t extent : shape.first(shape.size() - inner))
    rows *= extent;
  return rows;
}

/// True for a scalar given as () or (1,).
bool is_one(const Strided& type, std::span<const std::uint64_t> shape) {
  return type.shape.empty() && (shape.empty() || (shape.size() == 1 && shape[0] == 1));
}

std::string numpy_type(const std::string& dtype) {
  return dtype == "bool" ? "numpy.bool_" : "numpy." + dtype;
}

/// The axes that count rows are those before an element's own.
Result<std::uint64_t> record_rows(const Target& target,
                                  const std::string& file,
                                  const Npy& npy,
                                  std::size_t inner) {
  const bool is_array = target.program.layout(target.buffer).kind == LayoutKind::array;
  const auto outer = std::span(npy.shape).first(npy.shape.size() - inner);
  std::uint64_t rows = 1;
  for (const std::uint64_t extent : outer)
    rows *= extent;
  if (is_array ? !outer.empty() : rows == 1 && outer.size() <= 1) return rows;
  return wrong_shape(target, file, npy, is_array ? "(N,)" : "()");
}

/// A structured array, or the numbers of structures of one scalar type side by side.
Result<Supplied> from_records(const Target& target, const std::string& file, const Npy& npy) {
  const Layout& layout = target.program.layout(target.buffer);
  const bool is_array = layout.kind == LayoutKind::array;
  const LayoutId structure = is_array ? layout.element : target.buffer.layout;
  NpyType record = npy.element;
  const bool plain = record.fields.empty() && !npy.shape.empty();
  if (plain) record.shape = {npy.shape.back()};
  auto runs = match_record(target.program, structure, record);
  if (!runs) {
    return wrong(
        runs.error().code(),
        target.text() + " is not filled by " + ticked(file) + ": " + runs.error().message(),
        "give a structured array with the members as fields, set members with -s " +
            target.buffer.name + ".MEMBER=VALUE, or give a list or raw bytes");
  }
  VYRE_TRY(const std::uint64_t rows, record_rows(target, file, npy, plain ? 1 : 0));
  VYRE_TRY(auto bytes, make_bytes(target, rows, file));
  scatter_records(*runs, *byte_count(record), target.room.stride, npy.data, bytes);
  return Supplied{std::move(bytes), 0};
}

Result<Supplied> from_npy(const Target& target, const std::string& file) {
  VYRE_TRY(auto content, read_file(file, readable_bytes(has_size(file))));
  VYRE_TRY(const Npy npy, parse_npy(std::move(content), file));
  const LayoutId layout = target.buffer.layout;
  auto type = strided(target.program, layout, 0);
  if (!type) return from_records(target, file, npy);
  const std::string dtype = dtype_of(type->scalar);
  if (npy.dtype != dtype) {
    return wrong("wrong-type",
                 target.text() + " takes dtype " + dtype + ", but " + ticked(file) + " has " +
                     dtype_text(npy.element),
                 "save it with .astype(" + numpy_type(dtype) + ")");
  }
  const bool is_array = target.program[layout].kind == LayoutKind::array;
  const auto rows = is_array ? row_count(*type, npy.shape) : std::optional<std::uint64_t>(1);
  const bool fits =
      is_array ? rows.has_value() : is_one(*type, npy.shape) || npy.shape == type->shape;
  if (!fits) return wrong_shape(target, file, npy, wanted_shape(*type, target.room.runtime));
  VYRE_TRY(auto bytes, make_bytes(target, *rows, file));
  if (is_array) type->shape[0] = *rows;
  scatter(*type, npy.data, bytes);
  return Supplied{std::move(bytes), 0};
}

// ----------------------------------------------------------------------------------- .png

/// A pixel is a word, red lowest, as `-o NAME=x.png` writes it.
Result<Supplied> from_png(const Target& target, const std::string& file) {
  const auto type = strided(target.program, target.buffer.layout, 0);
  const bool words = type && type->scalar == ScalarType::u32 && type->shape.size() == 1;
  if (!words) {
    return wrong("wrong-type",
                 target.text() +
                     " takes no picture: a .png fills a texture, or array<u32> as packed "
                     "RGBA",
                 "convert the picture to a .npy");
  }
  VYRE_TRY(const auto content, read_file(file, readable_bytes(has_size(file))));
  VYRE_TRY(const Pixels pixels, decode_png(content, file));
  if (pixels.bytes_per_channel != 1) return deep_picture(target.text(), file);
  VYRE_TRY(auto bytes, make_bytes(target, pixels.width * pixels.height, file));
  std::copy(pixels.rgba.begin(), pixels.rgba.end(), bytes.begin());
  return Supplied{std::move(bytes), 0};
}

// ----------------------------------------------------------------------- lists and generators

Result<Supplied> from_list(const Target& target, std::string_view list) {
  const std::uint64_t given = split(list, ',').size();
  const ScalarCounts counts = scalar_counts(target.program, target.buffer.layout);
  const bool is_array = target.program.layout(target.buffer).kind == LayoutKind::array;
  const std::uint64_t element =
      counts.element != 0 ? counts.element
      : is_array ? scalar_counts(target.program, target.program.layout(target.buffer).element).fixed
                 : counts.fixed;
  const std::uint64_t fixed = counts.element != 0 ? counts.fixed : 0;
  if (given < fixed || (given - fixed) % element != 0) {
    const std::string before = fixed == 0 ? "" : counted(fixed, "number") + " and then ";
    return wrong("wrong-length", target.text() + " takes " + before + counted(element, "number") +
                                     " an element, but " + ticked(list) + " has " +
                                     std::to_string(given));
  }
  const std::uint64_t count = (given - fixed) / element;
  VYRE_TRY(auto bytes, make_bytes(target, count, list));
  const std::vector<std::string_view> values = split(list, ',');
  std::size_t next = 0;
  std::optional<Error> fault;
  auto put = [&](std::uint64_t offset, ScalarType scalar) {
    if (next == values.size()) return false;
    auto number = parse_number_of(scalar, values[next++]);
    if (number)
      store_number(scalar, *number, bytes.data() + offset);
    else
      fault = std::move(number).error();
    return !fault;
  };
  each_scalar(target.program, target.buffer.layout, 0, count, put);
  if (fault) return wrong(fault->code(), target.text() + ": " + fault->message());
  return Supplied{std::move(bytes), 0};
}

/// SplitMix64: the same numbers on every machine for a seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  Number next_of(ScalarType type) {
    const std::uint64_t bits = next();
    if (type == ScalarType::boolean) return bits >> 63;
    if (!is_float(type)) return bits >> (64 - 8 * info(type).bytes);
    const int digits = info(type).bytes == 2 ? 11 : 24;
    return std::ldexp(static_cast<double>(bits >> (64 - digits)), -digits);
  }

 private:
  std::uint64_t state_;
};

struct Generator {
  std::string_view kind;  ///< "zeros", "range", "random"
  std::string_view count;
  std::string_view seed;
};

std::optional<Generator> as_generator(std::string_view source) {
  const std::vector<std::string_view> words = split(source, ':');
  const bool seeded = words[0] == "random" && words.size() == 3;
  if (words[0] != "zeros" && words[0] != "range" && words[0] != "random") return std::nullopt;
  if (words.size() != 2 && !seeded) return std::nullopt;
  return Generator{words[0], words[1], seeded ? words[2] : "0"};
}

Result<Supplied> from_generator(const Target& target,
                                const Generator& generator,
                                std::string_view source) {
  const auto count = parse_number(generator.count);
  const auto seed = parse_number(generator.seed);
  if (!count || !seed) {
    return wrong("bad-value", ticked(count ? generator.seed : generator.count) + " of " +
                                  ticked(source) + " is no whole number that fits 64 bits");
  }
  VYRE_TRY(auto bytes, make_bytes(target, *count, source));
  if (generator.kind == "zeros") return Supplied{std::move(bytes), 0};
  Random random(*seed);
  std::uint64_t index = 0;
  const bool is_range = generator.kind == "range";
  auto put = [&](std::uint64_t offset, ScalarType scalar) {
    if (offset >= bytes.size()) return false;
    store_number(scalar, is_range ? Number(index++) : random.next_of(scalar),
                 bytes.data() + offset);
    return true;
  };
  each_scalar(target.program, target.buffer.layout, 0, *count, put);
  return Supplied{std::move(bytes), 0};
}

bool is_list(std::string_view source) {
  const std::vector<std::string_view> values = split(source, ',');
  return std::all_of(values.begin(), values.end(), looks_like_number);
}

/// A name with commas that is no file was meant as a list, most likely.
Error no_file(std::string_view source, Error fault) {
  const std::vector<std::string_view> values = split(source, ',');
  const auto bad = std::find_if_not(values.begin(), values.end(), looks_like_number);
  if (values.size() == 1 || bad == values.end()) return fault;
  return wrong("bad-value", ticked(source) + " is neither a file nor a list, because " +
                                ticked(*bad) + " is no number");
}

/// A file whose name is digits and dashes reads as a list.
Error not_that_file(std::string_view source, const Error& fault) {
  return wrong(fault.code(), fault.message(),
               "to read the file of that name, write ./" + std::string(source));
}

}  // namespace

Result<Supplied> load_source(const Program& program,
                             const BufferDecl& buffer,
                             std::string_view source,
                             bool pad) {
  const Target target{program, buffer, extent(program, buffer)};
  if (source.empty()) return wrong("usage", target.text() + " was given an empty source");
  if (source == "-") {
    const auto read = [](std::uint64_t most) { return read_standard_input(most); };
    VYRE_TRY(auto bytes, read_within(target, "standard input", false, read));
    return from_raw(target, std::move(bytes), "standard input", pad);
  }
  const bool is_file = has_ending(source, ".npy") || has_ending(source, ".png");
  if (is_file && texels_of(program, buffer)) {
    VYRE_TRY(auto bytes, read_texture(program, buffer, std::string(source)));
    return Supplied{std::move(bytes), 0};
  }
  if (has_ending(source, ".npy")) return from_npy(target, std::string(source));
  if (has_ending(source, ".png")) return from_png(target, std::string(source));
  if (const auto generator = as_generator(source))
    return from_generator(target, *generator, source);
  if (is_list(source)) {
    auto list = from_list(target, source);
    if (!list && ::access(std::string(source).c_str(), F_OK) == 0)
      return not_that_file(source, list.error());
    return list;
  }
  for (const std::string_view ending : {".csv", ".npz", ".jpg", ".jpeg"}) {
    if (!has_ending(source, ending)) continue;
    return wrong("wrong-type",
                 ticked(source) + " for " + target.text() + " would be taken as raw bytes: no " +
                     std::string(ending) + " is read",
                 "convert it to a .npy; to take its bytes all the same, give -i " + buffer.name +
                     "=- < " + std::string(source));
  }
  const std::string file(source);
  const auto read = [&](std::uint64_t most) { return read_file(file, most); };
  auto bytes = read_within(target, ticked(file), has_size(file), read);
  if (!bytes) return no_file(source, std::move(bytes).error());
  return from_raw(target, *std::move(bytes), ticked(source), pad);
}

}  // namespace vyre::cli
