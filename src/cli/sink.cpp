// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/sink.h"

#include <string_view>
#include <utility>

#include "base/file.h"
#include "cli/npy.h"
#include "cli/number.h"
#include "cli/png.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

enum class Format : std::uint8_t { print, npy, png, raw };

Format format_of(const std::string& file) {
  if (file == "-") return Format::print;
  if (has_ending(file, ".npy")) return Format::npy;
  if (has_ending(file, ".png")) return Format::png;
  return Format::raw;
}

/// The number of rows of an array, or 1.
std::uint64_t row_count(const Strided& type, bool is_array) {
  return is_array ? type.shape[0] : 1;
}

/// The shape outside: `--shape` stands for the first axis.
std::vector<std::uint64_t> outer_shape(const Strided& type, const Sink& sink, bool is_array) {
  if (!sink.rows || !is_array) return type.shape;
  std::vector<std::uint64_t> shape = *sink.rows;
  shape.insert(shape.end(), type.shape.begin() + 1, type.shape.end());
  return shape;
}

Status check_rows(const Program& program, const Sink& sink, const Strided& type, bool is_array) {
  if (!sink.rows) return Ok{};
  std::uint64_t rows = 1;
  bool overflow = false;
  for (const std::uint64_t extent : *sink.rows) {
    overflow = overflow || __builtin_mul_overflow(rows, extent, &rows);
  }
  const std::uint64_t there = row_count(type, is_array);
  if (!overflow && rows == there) return Ok{};
  return wrong("wrong-shape", "--shape " + shape_text(*sink.rows) + " does not fit " +
                                  described(program, *sink.buffer) + ", which has " +
                                  counted(there, "element"));
}

struct Form {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
  unsigned channels = 0;
};

/// How a shape is a picture; nothing if it is none.
std::optional<Form> picture_form(ScalarType scalar, std::span<const std::uint64_t> shape) {
  if (scalar == ScalarType::u32 && shape.size() == 2) return Form{shape[1], shape[0], 4};
  if (scalar != ScalarType::u8) return std::nullopt;
  if (shape.size() == 2) return Form{shape[1], shape[0], 1};
  if (shape.size() != 3 || shape[2] < 1 || shape[2] > 4) return std::nullopt;
  return Form{shape[1], shape[0], static_cast<unsigned>(shape[2])};
}

Status check_picture(const Program& program, const Sink& sink, const Strided& type, bool is_array) {
  const std::vector<std::uint64_t> shape = outer_shape(type, sink, is_array);
  if (type.scalar != ScalarType::u32 && type.scalar != ScalarType::u8) {
    return wrong("wrong-type", described(program, *sink.buffer) +
                                   " is no picture: a .png takes u32 as packed RGBA, or u8");
  }
  if (picture_form(type.scalar, shape)) return Ok{};
  return wrong("wrong-shape",
               described(program, *sink.buffer) + " has shape " + shape_text(shape) +
                   ", but a .png takes two axes",
               "add --shape " + sink.buffer->name + "=HEIGHT,WIDTH");
}

Status write_picture(const Sink& sink,
                     const Strided& type,
                     std::span<const std::uint64_t> shape,
                     std::span<const std::byte> packed) {
  const auto form = picture_form(type.scalar, shape);
  VYRE_TRY(const auto file, encode_png({form->width, form->height, form->channels, packed}));
  return write_file(sink.file, file);
}

/// Elements of an array a line each; everything else is one line.
std::string print(const Program& program,
                  const BufferDecl& buffer,
                  std::uint64_t count,
                  std::span<const std::byte> bytes) {
  const ScalarCounts counts = scalar_counts(program, buffer.layout);
  const Layout& layout = program.layout(buffer);
  const bool is_array = layout.kind == LayoutKind::array;
  const std::uint64_t per_line = is_array ? scalar_counts(program, layout.element).fixed
                                          : counts.fixed + counts.element * count;
  std::string text;
  std::uint64_t in_line = 0;
  auto put = [&](std::uint64_t offset, ScalarType scalar) {
    text += to_text(scalar, load_number(scalar, bytes.data() + offset));
    text += ++in_line == per_line ? '\n' : ',';
    if (in_line == per_line) in_line = 0;
    return true;
  };
  each_scalar(program, buffer.layout, 0, count, put);
  return text;
}

}  // namespace

bool takes_shape(const Program& program, const Sink& sink) {
  const Format format = format_of(sink.file);
  return (format == Format::npy || format == Format::png) && !texels_of(program, *sink.buffer);
}

Status check_sink(const Program& program, const Sink& sink, std::uint64_t count) {
  const auto type = strided(program, sink.buffer->layout, count);
  const bool is_array = program.layout(*sink.buffer).kind == LayoutKind::array;
  const Format format = format_of(sink.file);
  if (sink.file.empty()) {
    return wrong("usage", described(program, *sink.buffer) + " was given an empty file name");
  }
  if (has_ending(sink.file, ".csv")) {
    return wrong("usage",
                 ticked(sink.file) + " of " + described(program, *sink.buffer) +
                     " would be raw bytes: no .csv is written",
                 "write .npy, or print with -o " + sink.buffer->name + "=-");
  }
  if (format == Format::print) return Ok{};
  VYRE_CHECK_OK(check_writable(sink.file));
  if (format == Format::raw || texels_of(program, *sink.buffer)) return Ok{};
  if (!type) {
    return wrong("wrong-type",
                 described(program, *sink.buffer) + " is a structure, which " + ticked(sink.file) +
                     " cannot hold",
                 "print it with -o " + sink.buffer->name + "=-, or write it raw");
  }
  VYRE_CHECK_OK(check_rows(program, sink, *type, is_array));
  return format == Format::png ? check_picture(program, sink, *type, is_array) : Ok{};
}

Result<std::string> write_sink(const Program& program,
                               const Sink& sink,
                               std::uint64_t count,
                               std::span<const std::byte> bytes) {
  const Format format = format_of(sink.file);
  if (format == Format::print) return print(program, *sink.buffer, count, bytes);
  if (format == Format::raw) {
    VYRE_CHECK_OK(write_file(sink.file, bytes));
    return std::string();
  }
  if (texels_of(program, *sink.buffer)) {
    VYRE_TRY(const auto file, format_texture(program, *sink.buffer, sink.file, bytes));
    VYRE_CHECK_OK(write_file(sink.file, file));
    return std::string();
  }
  const auto type = strided(program, sink.buffer->layout, count);
  const bool is_array = program.layout(*sink.buffer).kind == LayoutKind::array;
  const std::vector<std::uint64_t> shape = outer_shape(*type, sink, is_array);
  const std::vector<std::byte> packed = gather(*type, bytes);
  if (format == Format::png) {
    VYRE_CHECK_OK(write_picture(sink, *type, shape, packed));
  } else {
    VYRE_CHECK_OK(write_file(sink.file, format_npy(type->scalar, shape, packed)));
  }
  return std::string();
}

Result<std::vector<std::uint64_t>> parse_shape(std::string_view text) {
  std::vector<std::uint64_t> shape;
  for (const std::string_view word : split(text, ',')) {
    const auto extent = parse_number(word);
    if (!extent)
      return wrong("bad-value", ticked(word) + " of shape " + ticked(text) + " is no whole number");
    shape.push_back(*extent);
  }
  return shape;
}

}  // namespace vyre::cli
