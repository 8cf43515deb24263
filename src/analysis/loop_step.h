// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/facts.h"

/// The arithmetic of the rules of `loops.h`: one variable that moves, one comparison that stays.
/// Pure but for the names it makes; one thread at a time.
namespace vyre {

/// What holds whenever a turn stays in the loop.
struct Stay {
  enum class Kind : std::uint8_t { below, at_most, differs };
  Kind kind = Kind::below;
  Facts::Sign sign = Facts::Sign::none;
  Term low = kNone<Term>;
  Term high = kNone<Term>;
  Facts::Range low_range = {};  ///< at the test
  Facts::Range high_range = {};
};

/// A variable that a loop moves.
struct Moving {
  Term start = kNone<Term>;  ///< as a turn begins
  Term next = kNone<Term>;   ///< as the next one begins
  /// As the first turn begins.
  Facts::Range first_unsigned = {};
  Facts::Range first_signed = {};
  [[nodiscard]] Facts::Range first(Facts::Sign sign) const {
    return sign == Facts::Sign::none ? first_unsigned : first_signed;
  }
};

/// Turns that begin, at most, in a loop that every turn moves so and stays in only so; none if that
/// does not end it.  `mark`: the newest opaque name from before the loop.
std::optional<std::uint64_t> turns_of(Facts& facts,
                                      const Stay& stay,
                                      const Moving& moving,
                                      std::uint64_t mark);

}  // namespace vyre
