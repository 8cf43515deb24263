// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "conformance/vectors.h"
#include "support/accuracy.h"

namespace vyre::test {

/// What a device promises: the CPU's result, or that of a device with its own ways with NaNs,
/// subnormals and signed zeros.
class Judge {
 public:
  Judge(Op op, const VectorSet& set, const Numerics& numerics)
      : op_(op), set_(set), numerics_(numerics) {}

  [[nodiscard]] bool accepts(const Vector& row, std::uint64_t got) const;

 private:
  [[nodiscard]] bool are_same(std::uint64_t a, std::uint64_t b) const;
  [[nodiscard]] bool accepts_flushed(const Vector& row, std::uint64_t got) const;

  Op op_;
  const VectorSet& set_;
  const Numerics& numerics_;
};

}  // namespace vyre::test
