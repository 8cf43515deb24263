// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "unit/lower/straight_line.h"

/// Every operator on every combination of types of 32 and 64 bits, for passes that rewrite
/// expressions.
namespace vyre::test {

struct Case {
  Op op;
  ScalarType result;
  std::vector<ScalarType> types;
};

inline std::vector<Case> all_cases() {
  static constexpr ScalarType kTypes[] = {ScalarType::boolean, ScalarType::u32, ScalarType::i32,
                                          ScalarType::f32,     ScalarType::u64, ScalarType::i64};
  std::vector<Case> cases;
  const auto add = [&](Op op, std::vector<ScalarType> types) {
    const bool chooses = op == Op::convert || op == Op::bitcast;
    for (const ScalarType wanted : kTypes) {
      const auto result = result_type(op, types, wanted);
      if (result) cases.push_back({op, *result, types});
      if (!chooses) return;
    }
  };
  for (std::size_t i = 0; i < all_ops().size(); ++i) {
    const auto op = static_cast<Op>(i);
    for (const ScalarType a : kTypes) {
      if (info(op).arity == 1) add(op, {a});
      for (const ScalarType b : kTypes) {
        if (info(op).arity == 2) add(op, {a, b});
        if (info(op).arity == 3) add(op, {a, b, b});
      }
    }
  }
  return cases;
}

inline std::string describe(const Case& c, std::span<const std::uint64_t> operands) {
  std::string text = std::string(to_string(c.op)) + " -> " + std::string(to_string(c.result));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    char buffer[48];
    std::snprintf(buffer, sizeof buffer, " %s:0x%llx", std::string(to_string(c.types[i])).c_str(),
                  static_cast<unsigned long long>(operands[i]));
    text += buffer;
  }
  return text;
}

/// All combinations of special values; a third operand takes every fifth only.
template <typename F>
void for_each_operands(const Case& c, F check) {
  std::vector<std::uint64_t> operands(c.types.size());
  for (const std::uint64_t a : special_values(c.types[0])) {
    operands[0] = a;
    if (c.types.size() == 1) {
      check(operands);
      continue;
    }
    const auto seconds = special_values(c.types[1]);
    for (std::size_t j = 0; j < seconds.size(); ++j) {
      operands[1] = seconds[j];
      if (c.types.size() == 2) check(operands);
      if (c.types.size() == 3)
        for (std::size_t k = j % 5; k < seconds.size(); k += 5) {
          operands[2] = seconds[k];
          check(operands);
        }
    }
  }
}

/// `pass` keeps the meaning of every operator on run-time operands.
template <typename Pass>
void expect_meaning_kept(Pass pass) {
  for (const Case& c : all_cases()) {
    const Program raw = straight_line(c.types, [&](Assembler& to, std::vector<ExprId> operands) {
      return to.op(c.op, operands, c.result);
    });
    const Program passed = pass(raw);
    for_each_operands(c, [&](std::span<const std::uint64_t> operands) {
      const std::uint64_t wanted = eval(c.op, c.result, c.types, operands);
      const std::uint64_t got = StraightLine(passed, operands).stored();
      ASSERT_TRUE(same_value(c.result, wanted, got))
          << describe(c, operands) << std::hex << ": wanted 0x" << wanted << ", got 0x" << got;
    });
  }
}

/// The same with all operands but the first known to the pass.
template <typename Pass>
void expect_meaning_kept_with_constants(Pass pass) {
  for (const Case& c : all_cases()) {
    if (c.types.size() != 2) continue;
    for (const std::uint64_t known : special_values(c.types[1]))
      for (const bool first : {false, true}) {
        if (first && c.types[0] != c.types[1]) continue;
        const ScalarType type = c.types[first ? 1 : 0];
        const Program raw =
            straight_line(std::span(&type, 1), [&](Assembler& to, std::vector<ExprId> operands) {
              std::vector<ExprId> both = {operands[0], to.constant(c.types[1], known)};
              if (first) std::swap(both[0], both[1]);
              return to.op(c.op, both, c.result);
            });
        const Program passed = pass(raw);
        for (const std::uint64_t value : special_values(type)) {
          const std::array<std::uint64_t, 2> operands = {first ? known : value,
                                                         first ? value : known};
          const std::uint64_t wanted = eval(c.op, c.result, c.types, operands);
          const std::uint64_t got = StraightLine(passed, std::span(&value, 1)).stored();
          ASSERT_TRUE(same_value(c.result, wanted, got))
              << describe(c, operands) << std::hex << ": wanted 0x" << wanted << ", got 0x" << got;
        }
      }
  }
}

}  // namespace vyre::test
