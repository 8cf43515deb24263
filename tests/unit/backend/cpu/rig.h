// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "backend/cpu/machine.h"
#include "ir/assembler.h"
#include "ir/layout.h"

namespace vyre::cpu {

using Words = std::vector<std::uint32_t>;

inline MemoryRef at(BufferId buffer, ExprId index) {
  return {.buffer = buffer, .path = {{.index = index}}};
}

/// A kernel being written, with a runtime-sized u32 array `out` and short names for what tests use.
struct Kernel : Assembler {
  explicit Kernel(std::array<std::uint32_t, 3> workgroup = {64, 1, 1})
      : Assembler("test", workgroup), out(words("out")) {}

  BufferId words(std::string name) { return elements(std::move(name), ScalarType::u32); }
  BufferId elements(std::string name,
                    ScalarType type,
                    std::uint32_t count = 0,
                    Space space = Space::storage) {
    return buffer({.name = std::move(name),
                   .space = space,
                   .access = Access::in_out,
                   .layout = array(scalar(type), count)});
  }
  ExprId gid() { return builtin(Builtin::global_id); }
  ExprId lid() { return builtin(Builtin::local_index); }
  ExprId add(ExprId a, ExprId b) { return op(Op::add, {a, b}); }
  ExprId mul(ExprId a, ExprId b) { return op(Op::mul, {a, b}); }
  ExprId less(ExprId a, ExprId b) { return op(Op::lt, {a, b}); }
  ExprId equal(ExprId a, ExprId b) { return op(Op::eq, {a, b}); }
  ExprId odd(ExprId a) { return equal(op(Op::bit_and, {a, u32(1)}), u32(1)); }
  void put(ExprId index, ExprId value) { store(at(out, index), value); }
  void add_to(VarId var, ExprId value) { set(var, add(get(var), value)); }
  /// A block with what `body` writes.
  template <typename F>
  BlockId block(F&& body) {
    const BlockId id = open();
    body();
    close();
    return id;
  }
  template <typename F>
  void when(ExprId condition, F&& body) {
    if_(condition, block(body));
  }

  BufferId out;
};

/// Bytes for the buffers of a program, and its runs.
struct Rig {
  explicit Rig(Assembler&& kernel) : program(std::move(kernel).finish()) {
    bytes.resize(program.buffers.size());
    counts.resize(program.buffers.size());
  }

  /// Gives `buffer` so many elements, all zero.
  void size(BufferId buffer, std::uint64_t count) {
    counts[index(buffer)] = count;
    bytes[index(buffer)].resize(byte_size(program, program[buffer], count));
  }
  template <typename T>
  void fill(BufferId buffer, const std::vector<T>& values) {
    size(buffer, values.size());
    std::memcpy(bytes[index(buffer)].data(), values.data(), values.size() * sizeof(T));
  }
  template <typename T>
  [[nodiscard]] std::vector<T> read(BufferId buffer) const {
    const auto& from = bytes[index(buffer)];
    std::vector<T> values(from.size() / sizeof(T));
    std::memcpy(values.data(), from.data(), values.size() * sizeof(T));
    return values;
  }

  RunResult run(Launch launch) {
    std::vector<Memory> memory;
    for (std::size_t i = 0; i < bytes.size(); ++i)
      memory.push_back({bytes[i], counts[i]});
    launch.buffers = memory;
    const auto result = Machine::compile(program).run(launch);
    if (!result) {
      ADD_FAILURE() << result.error().to_string();
      return {};
    }
    return *result;
  }
  RunResult run(std::uint32_t groups, unsigned threads = 1) {
    return run(Launch{.grid = {groups, 1, 1}, .logical_grid = {groups, 1, 1}, .threads = threads});
  }

  Program program;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::uint64_t> counts;
};

/// Runs `kernel` on `groups` workgroups with `count` elements in `out`, and returns them.
inline Words run(Kernel&& kernel, std::uint32_t groups, std::uint32_t count, unsigned threads = 1) {
  const BufferId out = kernel.out;
  Rig rig(std::move(kernel));
  rig.size(out, count);
  rig.run(groups, threads);
  return rig.read<std::uint32_t>(out);
}

/// f(0), f(1), … f(count - 1)
template <typename T = std::uint32_t, typename F>
std::vector<T> expected(std::uint32_t count, F&& f) {
  std::vector<T> words(count);
  for (std::uint32_t i = 0; i < count; ++i)
    words[i] = f(i);
  return words;
}

}  // namespace vyre::cpu
