// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "fuzz/context.h"
#include "fuzz/expressions.h"

/// Declares random memories and finds random places in them that an invocation may touch.
namespace vyre::test {

/// A leaf of a memory.
struct Spot {
  MemoryRef ref;
  ScalarType type = ScalarType::u32;  ///< of its values
  bool atomic = false;
};

class Memories {
 public:
  Memories(Context& context, Expressions& expressions) : c_(context), e_(expressions) {}

  void declare();
  BufferId declare_probe(std::uint32_t words_per_invocation);
  /// The array of u32 that every program stores to.
  [[nodiscard]] const Memory& sink() const { return c_.memories[0]; }

  /// Something that may be read here; the indices are uniform if asked for.
  std::optional<Spot> readable(bool uniform);
  /// Something that this invocation may write here: not by all lanes with atomics.
  std::optional<Spot> writable();
  /// An atomic that anybody may change now, and how.
  std::optional<std::pair<Spot, AtomicOp>> shared_atomic();
  /// Workgroup memory at a uniform place.
  std::optional<Spot> uniform_loadable();
  /// After a barrier: memories change phase.
  void change_phases(bool workgroup, bool storage);

  /// Bytes for every host buffer.
  std::vector<HostBuffer> host_buffers(const Program& program);

 private:
  enum class Use : std::uint8_t { read, write };

  LayoutId element(bool atomics, int depth);
  LayoutId structure(bool atomics, int depth);
  LayoutId root(Space space, bool runtime, bool atomics, std::uint32_t count);
  LayoutId odd_root(Space space, std::uint32_t count);
  LayoutId uniform_layout();
  std::uint32_t static_count(std::uint32_t slots);
  void add(Memory memory, LayoutId layout, Access access = Access::input);
  void add_host_memories();
  void add_private_memories();
  void add_shared_memories();
  void add_constant();

  Spot spot(const Memory& memory, Use use, bool uniform);
  ExprId slot(const Memory& memory, Use use, std::uint32_t count);
  ExprId any_index(std::uint32_t count, bool uniform);
  void finish_vector(Spot& spot, const Layout& layout, bool uniform);
  std::uint32_t names_ = 0;

  Context& c_;
  Expressions& e_;
};

}  // namespace vyre::test
