// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cli/npy_header.h"
#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

/// The structure at the bottom of arrays, and their counts, outermost first.
struct Nest {
  LayoutId inner = {};
  std::vector<std::uint64_t> counts;
  std::vector<std::uint64_t> strides;
};
Nest nest_of(const Program& program, LayoutId id) {
  Nest nest{id, {}, {}};
  for (const Layout* layout = &program[id]; layout->kind == LayoutKind::array && !layout->matrix;
       layout = &program[nest.inner]) {
    nest.inner = layout->element;
    nest.counts.push_back(layout->count);
    nest.strides.push_back(layout->stride);
  }
  return nest;
}

/// Adjacent runs become one.
void add_run(std::vector<RecordRun>& runs, const RecordRun& run) {
  RecordRun* const last = runs.empty() ? nullptr : &runs.back();
  if (last != nullptr && last->record + last->bytes == run.record &&
      last->laid + last->bytes == run.laid)
    last->bytes += run.bytes;
  else
    runs.push_back(run);
}

class Matching {
 public:
  explicit Matching(const Program& program) : program_(program) {}

  Status match(LayoutId id,
               const NpyType& type,
               const RecordRun& at,  // where both begin
               const std::string& path) {
    if (const auto numbers = strided(program_, id, 0))
      return match_numbers(id, *numbers, type, at, path);
    const Nest nest = nest_of(program_, id);
    if (type.fields.empty()) return mismatch(id, type, path);
    if (type.shape != nest.counts) return mismatch(id, type, path);
    return match_elements(nest, 0, type, at, path);
  }

  std::vector<RecordRun> take() { return std::move(runs_); }

 private:
  Status match_numbers(LayoutId id,
                       const Strided& numbers,
                       const NpyType& type,
                       const RecordRun& at,
                       const std::string& path) {
    if (type.dtype != dtype_of(numbers.scalar) || type.shape != numbers.shape)
      return mismatch(id, type, path);
    each_strided_run(numbers, [&](std::uint64_t packed, std::uint64_t laid, std::uint64_t bytes) {
      add_run(runs_, {at.record + packed, at.laid + laid, bytes});
    });
    return Ok{};
  }

  Status match_elements(const Nest& nest,
                        std::size_t level,
                        const NpyType& type,
                        const RecordRun& at,
                        const std::string& path) {
    if (level == nest.counts.size()) return match_members(nest.inner, type, at, path);
    std::uint64_t inner = type.bytes;
    for (std::size_t i = level + 1; i < nest.counts.size(); ++i)
      inner *= nest.counts[i];
    for (std::uint64_t i = 0; i < nest.counts[level]; ++i) {
      VYRE_CHECK_OK(match_elements(nest, level + 1, type,
                                   {at.record + i * inner, at.laid + i * nest.strides[level], 0},
                                   path));
    }
    return Ok{};
  }

  Status match_members(LayoutId id,
                       const NpyType& type,
                       const RecordRun& at,
                       const std::string& path) {
    const Layout& layout = program_[id];
    for (const NpyField& field : type.fields) {
      const bool known = std::any_of(layout.members.begin(), layout.members.end(),
                                     [&](const auto& member) { return member.name == field.name; });
      if (known || field.type.dtype == "void") continue;
      return wrong("unknown-name", "field " + ticked(path + field.name) + " is no member of " +
                                       layout.name + "; there are " + listed(members_of(layout)));
    }
    for (const Layout::Member& member : layout.members) {
      const auto field = std::find_if(type.fields.begin(), type.fields.end(),
                                      [&](const NpyField& f) { return f.name == member.name; });
      if (field == type.fields.end()) {
        return wrong("wrong-type", "there is no field " + ticked(path + member.name) + " for the " +
                                       type_name(program_, member.layout) + " of " + layout.name);
      }
      VYRE_CHECK_OK(match(member.layout, field->type,
                          {at.record + field->offset, at.laid + member.offset, 0},
                          path + member.name + "."));
    }
    return Ok{};
  }

  static std::vector<std::string> members_of(const Layout& layout) {
    std::vector<std::string> names;
    for (const Layout::Member& member : layout.members)
      names.push_back(member.name);
    return names;
  }

  [[nodiscard]] Error mismatch(LayoutId id, const NpyType& type, const std::string& path) const {
    const auto wanted = record_of(program_, id);
    const auto text = [](const NpyType& one) {
      return dtype_text(one) + (one.shape.empty() ? "" : " of shape " + shape_text(one.shape));
    };
    const std::string field =
        path.empty() ? "the file" : "field " + ticked(path.substr(0, path.size() - 1));
    return wrong("wrong-type",
                 field + " has dtype " + text(type) + ", but " + type_name(program_, id) +
                     (wanted ? " takes " + text(*wanted) : " has no size of its own"));
  }

  const Program& program_;
  std::vector<RecordRun> runs_;
};

/// Scalars of a plain dtype, one after the other, fill those of a structure in order.
std::vector<RecordRun> fill_in_order(const Program& program, LayoutId id) {
  std::vector<RecordRun> runs;
  std::uint64_t record = 0;
  auto put = [&](std::uint64_t laid, ScalarType scalar) {
    const std::uint64_t bytes = info(scalar).bytes;
    add_run(runs, {record, laid, bytes});
    record += bytes;
    return true;
  };
  each_scalar(program, id, 0, 0, put);
  return runs;
}

}  // namespace

std::optional<NpyType> record_of(const Program& program, LayoutId id) {
  if (const auto numbers = strided(program, id, 0)) {
    NpyType type = npy_type(numbers->scalar);
    type.shape = numbers->shape;
    return type;
  }
  const Nest nest = nest_of(program, id);
  if (std::find(nest.counts.begin(), nest.counts.end(), 0) != nest.counts.end())
    return std::nullopt;
  NpyType type;
  type.shape = nest.counts;
  for (const Layout::Member& member : program[nest.inner].members) {
    auto field = record_of(program, member.layout);
    const bool sized =
        field && std::find(field->shape.begin(), field->shape.end(), 0) == field->shape.end();
    if (!sized) return std::nullopt;
    const std::uint64_t bytes = *byte_count(*field);
    type.fields.push_back({member.name, type.bytes, *std::move(field)});
    type.bytes += bytes;
  }
  return type;
}

Result<std::vector<RecordRun>> match_record(const Program& program,
                                            LayoutId id,
                                            const NpyType& record) {
  if (record.fields.empty()) {
    const std::uint64_t scalars = scalar_counts(program, id).fixed;
    bool same = record.shape == std::vector<std::uint64_t>{scalars};
    auto look = [&](std::uint64_t, ScalarType scalar) {
      same = same && dtype_of(scalar) == record.dtype;
      return same;
    };
    each_scalar(program, id, 0, 0, look);
    if (same) return fill_in_order(program, id);
  }
  Matching matching(program);
  VYRE_CHECK_OK(matching.match(id, record, {}, ""));
  return matching.take();
}

void scatter_records(std::span<const RecordRun> runs,
                     std::uint64_t record_bytes,
                     std::uint64_t stride,
                     std::span<const std::byte> records,
                     std::span<std::byte> laid) {
  for (std::uint64_t from = 0, to = 0; from < records.size(); from += record_bytes, to += stride) {
    for (const RecordRun& run : runs)
      std::memcpy(laid.data() + to + run.laid, records.data() + from + run.record, run.bytes);
  }
}

std::vector<std::byte> gather_records(std::span<const RecordRun> runs,
                                      std::uint64_t record_bytes,
                                      std::uint64_t stride,
                                      std::uint64_t count,
                                      std::span<const std::byte> laid) {
  std::vector<std::byte> records(count * record_bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    for (const RecordRun& run : runs)
      std::memcpy(records.data() + i * record_bytes + run.record,
                  laid.data() + i * stride + run.laid, run.bytes);
  }
  return records;
}

}  // namespace vyre::cli
