// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/builder.h"

#include "support/run_passes.h"

/// Shorthand for tests that run a program after every pass.
namespace vyre::test {

/// A host buffer of these elements.
template <typename T>
PassBuffer host(const Memory& memory, const std::vector<T>& elements) {
  PassBuffer buffer = {memory.id(), std::vector<std::byte>(elements.size() * sizeof(T)),
                       elements.size()};
  if (!elements.empty()) std::memcpy(buffer.bytes.data(), elements.data(), buffer.bytes.size());
  return buffer;
}

/// Statements of this kind.
template <typename S>
std::size_t count_of(const Program& program) {
  return static_cast<std::size_t>(
      std::count_if(program.stmts.begin(), program.stmts.end(),
                    [](const Stmt& s) { return std::holds_alternative<S>(s); }));
}

/// Builds the program and expects the same bytes after every pass.
inline void expect_same(Builder& builder, PassInputs inputs, const Target& target) {
  const auto valid = builder.build();
  ASSERT_TRUE(valid) << valid.error().to_string();
  EXPECT_EQ(check_passes(*valid, inputs, target), "");
}

}  // namespace vyre::test
