// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/sink.h"

#include <string_view>
#include <utility>

#include "base/file.h"
#include "cli/npy.h"
#include "cli/number.h"
#include "cli/png.h"
#include "cli/record.h"
#include "cli/texture.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

enum class Format : std::uint8_t { print, npy, png, csv, raw };

Format format_of(const std::string& file) {
  if (file == "-") return Format::print;
  if (has_ending(file, ".npy")) return Format::npy;
  if (has_ending(file, ".png")) return Format::png;
  if (has_ending(file, ".csv")) return Format::csv;
  return Format::raw;
}

/// Names that promise a form in which nothing is written here.
constexpr std::string_view kForeignEndings[] = {
    ".json", ".jsonl", ".txt",  ".text",    ".tsv", ".xml",  ".yaml",  ".yml",  ".toml",
    ".html", ".md",    ".jpg",  ".jpeg",    ".gif", ".bmp",  ".tif",   ".tiff", ".webp",
    ".tga",  ".exr",   ".hdr",  ".ppm",     ".pgm", ".svg",  ".pdf",   ".npz",  ".pkl",
    ".mat",  ".h5",    ".hdf5", ".parquet", ".zip", ".gz",   ".wgsl",  ".py",   ".cpp",
    ".c",    ".h",     ".sh",   ".wav",     ".mp4", ".xlsx", ".sqlite"};

Status check_ending(const Program& program, const Sink& sink) {
  for (const std::string_view ending : kForeignEndings) {
    if (!has_ending(sink.file, ending)) continue;
    return wrong("wrong-type",
                 ticked(sink.file) + " of " + described(program, *sink.buffer) +
                     " would be raw bytes: no " + std::string(ending) + " is written",
                 "write .npy, .csv or .png, raw bytes as .bin, or print with -o " +
                     sink.buffer->name + "=-");
  }
  return Ok{};
}

/// The shape outside: `--shape` stands for the first axis.
std::vector<std::uint64_t> outer_shape(const Strided& type, const Sink& sink, bool is_array) {
  if (!sink.rows || !is_array) return type.shape;
  std::vector<std::uint64_t> shape = *sink.rows;
  shape.insert(shape.end(), type.shape.begin() + 1, type.shape.end());
  return shape;
}

/// `there` are the elements of an array, or 1.
Status check_rows(const Program& program, const Sink& sink, std::uint64_t there) {
  if (!sink.rows) return Ok{};
  std::uint64_t rows = 1;
  bool overflow = false;
  for (const std::uint64_t extent : *sink.rows) {
    overflow = overflow || __builtin_mul_overflow(rows, extent, &rows);
  }
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

Status check_picture(const Program& program,
                     const Sink& sink,
                     const std::optional<Strided>& type,
                     bool is_array) {
  if (!type || (type->scalar != ScalarType::u32 && type->scalar != ScalarType::u8)) {
    return wrong("wrong-type", described(program, *sink.buffer) +
                                   " is no picture: a .png takes u32 as packed RGBA, or u8");
  }
  const std::vector<std::uint64_t> shape = outer_shape(*type, sink, is_array);
  if (picture_form(type->scalar, shape)) return Ok{};
  return wrong("wrong-shape",
               described(program, *sink.buffer) + " has shape " + shape_text(shape) +
                   ", but a .png takes two axes",
               "add --shape " + sink.buffer->name + "=HEIGHT,WIDTH");
}

/// Numbers with commas, `per_line` of them a line; those before byte `from` are left out.
std::string to_lines(const Program& program,
                     const BufferDecl& buffer,
                     std::uint64_t count,
                     std::span<const std::byte> bytes,
                     std::uint64_t per_line,
                     std::uint64_t from = 0) {
  std::string text;
  std::uint64_t in_line = 0;
  auto put = [&](std::uint64_t offset, ScalarType scalar) {
    if (offset < from) return true;
    text += to_text(scalar, load_number(scalar, bytes.data() + offset));
    text += ++in_line == per_line ? '\n' : ',';
    if (in_line == per_line) in_line = 0;
    return true;
  };
  each_scalar(program, buffer.layout, 0, count, put);
  return text;
}

/// Elements of an array a line each; everything else is one line.
std::uint64_t scalars_per_line(const Program& program,
                               const BufferDecl& buffer,
                               std::uint64_t count) {
  const Layout& layout = program.layout(buffer);
  if (layout.kind == LayoutKind::array) return scalar_counts(program, layout.element).fixed;
  const ScalarCounts counts = scalar_counts(program, buffer.layout);
  return counts.fixed + counts.element * count;
}

/// The names of the scalars of a structure, as -s would say them: "position.x,position.y,mass".
void add_columns(const Program& program, LayoutId id, const std::string& path, std::string& line) {
  const Layout& layout = program[id];
  const auto add = [&](LayoutId inner, const std::string& name) {
    add_columns(program, inner, path + name, line);
  };
  if (layout.kind == LayoutKind::structure) {
    for (const Layout::Member& member : layout.members)
      add(member.layout, (path.empty() ? "" : ".") + member.name);
  } else if (layout.kind == LayoutKind::array) {
    for (std::uint64_t i = 0; i < layout.count; ++i)
      add(layout.element, "[" + std::to_string(i) + "]");
  } else {
    const std::uint32_t width = layout.kind == LayoutKind::vector ? layout.width : 1;
    for (std::uint32_t i = 0; i < width; ++i)
      line += (line.empty() ? "" : ",") + path + (width == 1 ? "" : std::string(".") + "xyzw"[i]);
  }
}

/// A line an element, or a row of --shape or of a texture; structures have a line of names first.
std::string to_csv(const Program& program,
                   const Sink& sink,
                   std::uint64_t count,
                   std::span<const std::byte> bytes) {
  if (const auto texels = texels_of(program, *sink.buffer)) {
    const std::uint64_t width = texture_rows(program, *sink.buffer, bytes).at(1);
    return to_lines(program, *sink.buffer, count, bytes,
                    width * scalar_counts(program, texels->layout).fixed, texels->offset);
  }
  const Layout& layout = program.layout(*sink.buffer);
  const LayoutId element = layout.kind == LayoutKind::array ? layout.element : sink.buffer->layout;
  std::string head;
  if (program[element].kind == LayoutKind::structure && record_of(program, element))
    add_columns(program, element, "", head);
  std::uint64_t per_line = scalars_per_line(program, *sink.buffer, count);
  if (sink.rows && sink.rows->size() > 1) per_line *= sink.rows->back();
  return (head.empty() ? "" : head + "\n") +
         to_lines(program, *sink.buffer, count, bytes, per_line);
}

/// Structures as records, with the members as fields.
Result<std::vector<std::byte>> to_records(const Program& program,
                                          const Sink& sink,
                                          std::uint64_t count,
                                          std::span<const std::byte> bytes) {
  const Layout& layout = program.layout(*sink.buffer);
  const bool is_array = layout.kind == LayoutKind::array;
  const LayoutId structure = is_array ? layout.element : sink.buffer->layout;
  const NpyType record = *record_of(program, structure);
  VYRE_TRY(const auto runs, match_record(program, structure, record));
  std::vector<std::uint64_t> shape;
  if (is_array) shape = sink.rows ? *sink.rows : std::vector<std::uint64_t>{count};
  const std::uint64_t stride = is_array ? layout.stride : layout.size;
  return format_npy(record, shape,
                    gather_records(runs, record.bytes, stride, is_array ? count : 1, bytes));
}

Result<std::vector<std::byte>> to_npy(const Program& program,
                                      const Sink& sink,
                                      std::uint64_t count,
                                      std::span<const std::byte> bytes) {
  const auto type = strided(program, sink.buffer->layout, count);
  if (!type) return to_records(program, sink, count, bytes);
  const bool is_array = program.layout(*sink.buffer).kind == LayoutKind::array;
  return format_npy(type->scalar, outer_shape(*type, sink, is_array), gather(*type, bytes));
}

Result<std::vector<std::byte>> to_picture(const Program& program,
                                          const Sink& sink,
                                          std::uint64_t count,
                                          std::span<const std::byte> bytes) {
  const auto type = strided(program, sink.buffer->layout, count);
  const bool is_array = program.layout(*sink.buffer).kind == LayoutKind::array;
  const auto form = picture_form(type->scalar, outer_shape(*type, sink, is_array));
  return encode_png({form->width, form->height, form->channels, gather(*type, bytes)});
}

/// A structure with a runtime-sized array in it is no record.
Status check_records(const Program& program, const Sink& sink) {
  const Layout& layout = program.layout(*sink.buffer);
  const LayoutId structure =
      layout.kind == LayoutKind::array ? layout.element : sink.buffer->layout;
  if (record_of(program, structure)) return Ok{};
  return wrong("wrong-type",
               described(program, *sink.buffer) +
                   " ends with a runtime-sized array, which no record of " + ticked(sink.file) +
                   " can hold",
               "print it with -o " + sink.buffer->name + "=-, or write .csv or raw bytes");
}

}  // namespace

bool takes_shape(const Program& program, const Sink& sink) {
  const Format format = format_of(sink.file);
  const bool shaped = format == Format::npy || format == Format::png || format == Format::csv;
  return shaped && !texels_of(program, *sink.buffer);
}

Status check_sink(const Program& program, const Sink& sink, std::uint64_t count) {
  const Format format = format_of(sink.file);
  if (sink.file.empty()) {
    return wrong("usage", described(program, *sink.buffer) + " was given an empty file name");
  }
  if (format == Format::print) return Ok{};
  if (format == Format::raw) VYRE_CHECK_OK(check_ending(program, sink));
  VYRE_CHECK_OK(check_writable(sink.file));
  if (format == Format::raw || texels_of(program, *sink.buffer)) return Ok{};
  const bool is_array = program.layout(*sink.buffer).kind == LayoutKind::array;
  VYRE_CHECK_OK(check_rows(program, sink, is_array ? count : 1));
  if (format == Format::csv) return Ok{};
  const auto type = strided(program, sink.buffer->layout, count);
  if (format == Format::npy) return type ? Status(Ok{}) : check_records(program, sink);
  return check_picture(program, sink, type, is_array);
}

Result<std::string> write_sink(const Program& program,
                               const Sink& sink,
                               std::uint64_t count,
                               std::span<const std::byte> bytes) {
  const bool texture = texels_of(program, *sink.buffer).has_value();
  const auto write = [&](const Result<std::vector<std::byte>>& content) -> Status {
    if (!content) return content.error();
    return write_file(sink.file, std::span<const std::byte>(*content));
  };
  Status done = Ok{};
  switch (format_of(sink.file)) {
    case Format::print:
      return to_lines(program, *sink.buffer, count, bytes,
                      scalars_per_line(program, *sink.buffer, count));
    case Format::raw: done = write_file(sink.file, bytes); break;
    case Format::csv: done = write_file(sink.file, to_csv(program, sink, count, bytes)); break;
    case Format::npy:
      done = write(texture ? format_texture(program, *sink.buffer, sink.file, bytes)
                           : to_npy(program, sink, count, bytes));
      break;
    case Format::png:
      done = write(texture ? format_texture(program, *sink.buffer, sink.file, bytes)
                           : to_picture(program, sink, count, bytes));
      break;
  }
  if (!done) return std::move(done).error();
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
