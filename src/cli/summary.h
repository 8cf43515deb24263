// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vyre/program.h"

#include "cli/number.h"

/// What a buffer holds, at a glance.
namespace vyre::cli {

struct Value {
  ScalarType type = ScalarType::u32;
  Number number;
};

struct Summary {
  std::string name;
  std::string type;
  std::uint64_t count = 0;   ///< elements
  std::vector<Value> first;  ///< the first scalars
  bool more = false;         ///< there are others
  std::optional<Value> min;  ///< of data of one scalar type; NaNs are left out
  std::optional<Value> max;
  std::uint64_t nans = 0;
};

Summary summarise(const Program& program,
                  const BufferDecl& buffer,
                  std::uint64_t count,
                  std::span<const std::byte> bytes);

/// "name  type  count  first, values, …  min … max …", in columns, a line each.
std::string to_table(std::span<const Summary> summaries);

}  // namespace vyre::cli
