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

#include "cli/npy.h"

/// Structures as the records of NumPy's structured arrays: members and fields meet by their names,
/// in whatever order and with whatever gaps.  Vectors, matrices and arrays are fields with a shape.
namespace vyre::cli {

/// One run of bytes that lies together both in a record and in a structure.
struct RecordRun {
  std::uint64_t record = 0;
  std::uint64_t laid = 0;
  std::uint64_t bytes = 0;
};

/// The record without gaps that holds a value of this layout; nothing where some array in it has
/// no size of its own.
std::optional<NpyType> record_of(const Program& program, LayoutId id);

/// How a record fills a structure; a record without fields fills one all of whose scalars are of
/// its dtype, in order.  The error says which member and field do not meet.
Result<std::vector<RecordRun>> match_record(const Program& program,
                                            LayoutId id,
                                            const NpyType& record);

/// `count` records to structures `stride` bytes apart, and back.
void scatter_records(std::span<const RecordRun> runs,
                     std::uint64_t record_bytes,
                     std::uint64_t stride,
                     std::span<const std::byte> records,
                     std::span<std::byte> laid);
std::vector<std::byte> gather_records(std::span<const RecordRun> runs,
                                      std::uint64_t record_bytes,
                                      std::uint64_t stride,
                                      std::uint64_t count,
                                      std::span<const std::byte> laid);

}  // namespace vyre::cli
