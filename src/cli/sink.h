// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

/// Where a buffer's bytes go: the FILE of `-o NAME=FILE`.
///
///     y.npy          shape from the WGSL type, rows from `--shape`; structures are records
///     y.png          u8: grey, RGB or RGBA by the last axis; u32: packed RGBA, red lowest
///     y.csv          an element a line, or a row of `--shape`; names of members first
///     -              printed, an element a line
///     anything else  raw bytes, laid out as WGSL does; not under a name that promises some
///                    other form, as .json or .jpg does
namespace vyre::cli {

struct Sink {
  const BufferDecl* buffer = nullptr;
  std::string file;
  std::optional<std::vector<std::uint64_t>> rows =
      {};  ///< of --shape: the axes before an element's
};

/// Whether `rows` make a difference: to a .npy, a .png and a .csv, but for those of a texture.
bool takes_shape(const Program& program, const Sink& sink);

/// Says before the dispatch whether `count` elements can be written so.
Status check_sink(const Program& program, const Sink& sink, std::uint64_t count);

/// Writes the file, or returns the text to print where the file is "-".
/// REQUIRES: `check_sink` was content with them; `bytes` are `count` elements.
Result<std::string> write_sink(const Program& program,
                               const Sink& sink,
                               std::uint64_t count,
                               std::span<const std::byte> bytes);

/// Reads "H,W".
Result<std::vector<std::uint64_t>> parse_shape(std::string_view text);

}  // namespace vyre::cli
