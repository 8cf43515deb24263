// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/program.h"

#include "cli/number.h"
#include "ir/layout.h"

/// How data meets types: everything the command line asks of a layout tree.
///
/// Outside, data is a list of scalars without gaps; inside it lies as the layout says, with the
/// padding of vec3 rows and struct members.  Both orders are the same, so a list fills scalars,
/// vectors, arrays and members one after the other.
namespace vyre::cli {

/// A layout without structures: nested counts over one scalar type, outermost first.
/// A vector counts its components, a matrix its columns and then their rows.
struct Strided {
  ScalarType scalar = ScalarType::u32;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;  ///< bytes
};
/// `count` stands for a runtime-sized array's; nothing if the layout holds a structure.
std::optional<Strided> strided(const Program& program, LayoutId id, std::uint64_t count);

/// Calls `f(packed offset, laid offset, bytes)` for each run without gaps, in order.
void each_strided_run(const Strided& strided,
                      const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& f);

/// Packed scalars to and from their places; `packed` ends where it ends, at a whole row.
void scatter(const Strided& to, std::span<const std::byte> packed, std::span<std::byte> laid);
std::vector<std::byte> gather(const Strided& from, std::span<const std::byte> laid);

/// What one buffer holds in one dispatch.
struct Extent {
  bool runtime = false;           ///< its root or trailing array takes its count from the dispatch
  std::uint64_t fixed_bytes = 0;  ///< before the elements of the trailing array
  std::uint64_t stride = 0;       ///< bytes of one element; without an array, of the whole
  std::uint64_t max_count = 0;    ///< elements at most
};
Extent extent(const Program& program, const BufferDecl& buffer);

/// Scalars of one element of a runtime-sized array, and of all that lies before it.
struct ScalarCounts {
  std::uint64_t fixed = 0;
  std::uint64_t element = 0;  ///< 0: no runtime-sized array
};
ScalarCounts scalar_counts(const Program& program, LayoutId id);

/// A part of a buffer that a PATH names: "params.width", "lights[2].color", "lights[2].color.x".
struct Part {
  LayoutId layout = {};
  std::uint64_t offset = 0;
  std::optional<ScalarType> component = {};  ///< of a vector; then `layout` is the vector's
};
/// Follows `path` (what comes after the buffer's name); an error lists the members there are.
Result<Part> find_part(const Program& program,
                       const BufferDecl& buffer,
                       std::string_view path,
                       std::uint64_t count);

/// Puts a list of values, "1,2,3", into a part, in order, all of them.
Status set_part(const Program& program,
                const Part& part,
                std::string_view values,
                std::uint64_t count,
                std::span<std::byte> bytes);

/// How a message speaks of a buffer: "buffer `x` (array<f32>)".
std::string described(const Program& program, const BufferDecl& buffer);

/// The buffers that a user sees, in declaration order: storage and uniform ones.
std::vector<const BufferDecl*> host_buffers(const Program& program);
std::vector<std::string> names_of(std::span<const BufferDecl* const> buffers);
/// True if the buffer's bytes come back: read_write storage, outputs.
bool comes_back(const BufferDecl& buffer);
/// The one of this name; an error lists what there is.
Result<const BufferDecl*> find_buffer(const Program& program, std::string_view name);

}  // namespace vyre::cli
