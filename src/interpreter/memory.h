// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interpreter/interpreter.h"
#include "ir/layout.h"

/// Bytes as values: where the elements of a reference lie, and how an element is read and written.
namespace vyre::interpreter {

/// The memory that an invocation sees: one span and one element count per buffer of the program.
/// Storage, uniform and constant buffers belong to the run, workgroup buffers to the workgroup and
/// local ones to the invocation.
struct MemoryView {
  std::vector<std::span<std::byte>> bytes;  ///< by BufferId
  std::vector<std::uint64_t> counts;        ///< by BufferId: of the root or trailing array
};

/// Byte offset of component or consecutive element `k` of a reference whose indices have these
/// values; nothing if an index is not within its level.  `count`: of a runtime-sized level.
std::optional<std::uint64_t> offset_of(const Address& address,
                                       std::span<const std::uint32_t> indices,
                                       std::uint32_t k,
                                       std::uint64_t count);

/// The element at `from` as a value of `info(type).widened`, zero-extended to 64 bits.
std::uint64_t read_element(ScalarType type, const std::byte* from);
/// Narrows `value` and writes it.
void write_element(ScalarType type, std::byte* to, std::uint64_t value);

/// What an atomic operation leaves in a word of `type` that held `old`.
std::uint64_t updated_word(
    AtomicOp op, ScalarType type, std::uint64_t old, std::uint64_t value, std::uint64_t comparand);

/// Consecutive zeroed bytes for all buffers of one space (workgroup or local).
class SpaceBytes {
 public:
  SpaceBytes(const Program& program, Space space);
  void zero();
  /// Enters the buffers of the space into `view`.
  void show(MemoryView& view);

 private:
  struct Region {
    BufferId buffer;
    std::size_t offset;
    std::size_t size;
  };
  std::vector<Region> regions_;
  std::vector<std::byte> bytes_;
};

}  // namespace vyre::interpreter
