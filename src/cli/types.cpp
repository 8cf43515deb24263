// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/types.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/words.h"
#include "ir/layout.h"

namespace vyre::cli {
namespace {

/// Levels that lie without gaps below level `i`, so that one copy moves them all.
bool is_dense_from(const Strided& strided, std::size_t i) {
  std::uint64_t bytes = info(strided.scalar).bytes;
  for (std::size_t level = strided.shape.size(); level-- > i;) {
    if (strided.strides[level] != bytes) return false;
    bytes *= strided.shape[level];
  }
  return true;
}

std::uint64_t packed_bytes(const Strided& strided, std::size_t from_level) {
  std::uint64_t bytes = info(strided.scalar).bytes;
  for (std::size_t i = from_level; i < strided.shape.size(); ++i)
    bytes *= strided.shape[i];
  return bytes;
}

/// Calls `move(packed offset, laid offset, bytes)` for each run without gaps.
template <typename Move>
void each_run(const Strided& strided,
              std::size_t level,
              std::uint64_t packed,
              std::uint64_t laid,
              const Move& move) {
  if (is_dense_from(strided, level)) {
    move(packed, laid, packed_bytes(strided, level));
    return;
  }
  const std::uint64_t inner = packed_bytes(strided, level + 1);
  for (std::uint64_t i = 0; i < strided.shape[level]; ++i) {
    each_run(strided, level + 1, packed + i * inner, laid + i * strided.strides[level], move);
  }
}

std::vector<std::string> member_names(const Layout& layout) {
  std::vector<std::string> names;
  for (const Layout::Member& member : layout.members)
    names.push_back(member.name);
  return names;
}

/// How messages speak of a part's type.
std::string type_of(const Program& program, const Part& part) {
  return part.component ? scalar_name(*part.component) : type_name(program, part.layout);
}

Part component_of(const Program& program, const Part& part, std::uint64_t component) {
  const ScalarType scalar = program[part.layout].scalar;
  return {part.layout, part.offset + component * info(scalar).bytes, scalar};
}

bool is_vector(const Program& program, const Part& part) {
  return !part.component && program[part.layout].kind == LayoutKind::vector;
}

/// Letters of one set stand for components, as in WGSL.
Result<Part> enter_component(const Program& program, const Part& part, std::string_view name) {
  const std::uint32_t width = program[part.layout].width;
  std::vector<std::string> names;
  for (const std::string_view letters : {"xyzw", "rgba"}) {
    for (std::uint32_t i = 0; i < width; ++i) {
      names.emplace_back(letters.substr(i, 1));
      if (name == names.back()) return component_of(program, part, i);
    }
  }
  return unknown("component of " + type_name(program, part.layout), name, names);
}

Result<Part> enter_member(const Program& program, const Part& part, std::string_view name) {
  if (is_vector(program, part)) return enter_component(program, part, name);
  const Layout& layout = program[part.layout];
  if (part.component || layout.kind != LayoutKind::structure) {
    return wrong("unknown-name", "there is no member " + ticked(name) + " in a value of type " +
                                     type_of(program, part));
  }
  for (const Layout::Member& member : layout.members) {
    if (member.name == name) return Part{member.layout, part.offset + member.offset};
  }
  return unknown("member of " + layout.name, name, member_names(layout));
}

Result<Part> enter_element(const Program& program,
                           const Part& part,
                           std::string_view text,
                           std::uint64_t runtime_count) {
  const Layout& layout = program[part.layout];
  const auto number = parse_number(text);
  if (!number) return wrong("usage", ticked(text) + " is no index");
  const bool vector = is_vector(program, part);
  if (part.component || (layout.kind != LayoutKind::array && !vector)) {
    return wrong("unknown-name", "a value of type " + type_of(program, part) + " has no element " +
                                     std::to_string(*number));
  }
  const std::uint64_t count = vector              ? layout.width
                              : layout.count != 0 ? layout.count
                                                  : runtime_count;
  if (*number >= count) {
    return wrong("out-of-range", "index " + std::to_string(*number) + " is beyond " +
                                     type_name(program, part.layout) + " of " +
                                     counted(count, vector ? "component" : "element"));
  }
  if (vector) return component_of(program, part, *number);
  return Part{layout.element, part.offset + *number * layout.stride};
}

}  // namespace

std::optional<Strided> strided(const Program& program, LayoutId id, std::uint64_t count) {
  Strided result;
  const Layout* layout = &program[id];
  for (; layout->kind == LayoutKind::array; layout = &program[layout->element]) {
    result.shape.push_back(layout->count != 0 ? layout->count : count);
    result.strides.push_back(layout->stride);
  }
  if (layout->kind == LayoutKind::structure) return std::nullopt;
  result.scalar = layout->scalar;
  if (layout->kind == LayoutKind::vector) {
    result.shape.push_back(layout->width);
    result.strides.push_back(info(layout->scalar).bytes);
  }
  return result;
}

void each_strided_run(const Strided& strided,
                      const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& f) {
  each_run(strided, 0, 0, 0, f);
}

void scatter(const Strided& to, std::span<const std::byte> packed, std::span<std::byte> laid) {
  each_run(to, 0, 0, 0, [&](std::uint64_t from, std::uint64_t place, std::uint64_t bytes) {
    if (from >= packed.size()) return;
    std::memcpy(laid.data() + place, packed.data() + from, std::min(bytes, packed.size() - from));
  });
}

std::vector<std::byte> gather(const Strided& from, std::span<const std::byte> laid) {
  std::vector<std::byte> packed(packed_bytes(from, 0));
  each_run(from, 0, 0, 0, [&](std::uint64_t to, std::uint64_t place, std::uint64_t bytes) {
    if (bytes != 0) std::memcpy(packed.data() + to, laid.data() + place, bytes);
  });
  return packed;
}

Extent extent(const Program& program, const BufferDecl& buffer) {
  if (const auto runtime = runtime_array(program, buffer)) {
    return {true, runtime->offset, runtime->stride, 0xffffffffU};
  }
  const Layout& layout = program.layout(buffer);
  if (layout.kind != LayoutKind::array) return {false, 0, layout.size, 1};
  return {false, 0, layout.stride, layout.count};
}

ScalarCounts scalar_counts(const Program& program, LayoutId id) {
  const Layout& layout = program[id];
  ScalarCounts counts;
  switch (layout.kind) {
    case LayoutKind::scalar:
    case LayoutKind::atomic: counts.fixed = 1; break;
    case LayoutKind::vector: counts.fixed = layout.width; break;
    case LayoutKind::array: {
      const std::uint64_t element = scalar_counts(program, layout.element).fixed;
      (layout.count == 0 ? counts.element : counts.fixed) =
          layout.count == 0 ? element : element * layout.count;
      break;
    }
    case LayoutKind::structure:
      for (const Layout::Member& member : layout.members) {
        const ScalarCounts inner = scalar_counts(program, member.layout);
        counts.fixed += inner.fixed;
        counts.element += inner.element;
      }
      break;
  }
  return counts;
}

Result<Part> find_part(const Program& program,
                       const BufferDecl& buffer,
                       std::string_view path,
                       std::uint64_t count) {
  Part part{buffer.layout, 0};
  while (!path.empty()) {
    const bool element = path.front() == '[';
    if (!element && path.front() != '.') {
      return wrong("usage", ticked(path) + " is no path of members and elements",
                   "write it like .member or [2].member");
    }
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(element ? "]" : ".["), path.size());
    const std::string_view word = path.substr(0, end);
    if (element && end == path.size())
      return wrong("usage", "the index " + ticked(word) + " lacks its closing bracket");
    path.remove_prefix(element ? std::min(end + 1, path.size()) : end);
    VYRE_TRY(part, element ? enter_element(program, part, word, count)
                           : enter_member(program, part, word));
  }
  return part;
}

Status set_part(const Program& program,
                const Part& part,
                std::string_view values,
                std::uint64_t count,
                std::span<std::byte> bytes) {
  const std::vector<std::string_view> list = split(values, ',');
  const ScalarCounts counts = scalar_counts(program, part.layout);
  const std::uint64_t room = part.component ? 1 : counts.fixed + counts.element * count;
  if (list.size() != room) {
    return wrong("wrong-length", "a value of type " + type_of(program, part) + " takes " +
                                     counted(room, "number") + ", but " + ticked(values) + " has " +
                                     std::to_string(list.size()));
  }
  std::size_t next = 0;
  std::optional<Error> fault;
  auto put = [&](std::uint64_t offset, ScalarType scalar) {
    auto number = parse_number_of(scalar, list[next++]);
    if (number) {
      store_number(scalar, *number, bytes.data() + offset);
    } else {
      fault = std::move(number).error();
    }
    return !fault;
  };
  if (part.component)
    put(part.offset, *part.component);
  else
    each_scalar(program, part.layout, part.offset, count, put);
  if (fault) return *std::move(fault);
  return Ok{};
}

std::string described(const Program& program, const BufferDecl& buffer) {
  return "buffer " + ticked(buffer.name) + " (" + type_name(program, buffer.layout) + ")";
}

std::vector<const BufferDecl*> host_buffers(const Program& program) {
  std::vector<const BufferDecl*> buffers;
  for (const BufferDecl& buffer : program.buffers) {
    const bool seen = buffer.space == Space::uniform ||
                      (buffer.space == Space::storage && buffer.access != Access::scratch);
    if (seen) buffers.push_back(&buffer);
  }
  return buffers;
}

std::vector<std::string> names_of(std::span<const BufferDecl* const> buffers) {
  std::vector<std::string> names;
  for (const BufferDecl* buffer : buffers)
    names.push_back(buffer->name);
  return names;
}

bool comes_back(const BufferDecl& buffer) {
  return buffer.space == Space::storage &&
         (buffer.access == Access::in_out || buffer.access == Access::output);
}

Result<const BufferDecl*> find_buffer(const Program& program, std::string_view name) {
  const std::vector<const BufferDecl*> buffers = host_buffers(program);
  for (const BufferDecl* buffer : buffers) {
    if (buffer->name == name) return buffer;
  }
  return unknown("buffer", name, names_of(buffers));
}

}  // namespace vyre::cli
