// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/assembler.h"

/// Programs without a body, for tests that ask about buffers alone.
namespace vyre::cli {

/// One buffer, whose layout `make` builds with the assembler it is given.
template <typename Make>
Program program_with(Make make, Space space = Space::storage, Access access = Access::in_out) {
  Assembler assembler("test", {1, 1, 1});
  BufferDecl buffer;
  buffer.name = "data";
  buffer.space = space;
  buffer.access = access;
  buffer.layout = make(assembler);
  assembler.buffer(std::move(buffer));
  return std::move(assembler).finish();
}

inline Program program_of(ScalarType type, std::uint32_t count = 0) {
  return program_with([&](Assembler& a) { return a.array(a.scalar(type), count); });
}

inline LayoutId vec3_array(Assembler& a) {
  return a.array(a.vector(ScalarType::f32, 3), 0);
}

/// struct Params { width: u32, scale: f32, color: vec3<f32> }
inline LayoutId params(Assembler& a) {
  const Assembler::MemberDecl members[] = {{"width", a.scalar(ScalarType::u32)},
                                           {"scale", a.scalar(ScalarType::f32)},
                                           {"color", a.vector(ScalarType::f32, 3)}};
  return a.structure("Params", members);
}

/// struct Log { used: atomic<u32>, rows: array<vec2<i32>> }
inline LayoutId log_with_rows(Assembler& a) {
  const Assembler::MemberDecl members[] = {{"used", a.atomic(ScalarType::u32)},
                                           {"rows", a.array(a.vector(ScalarType::i32, 2), 0)}};
  return a.structure("Log", members);
}

template <typename T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

}  // namespace vyre::cli
