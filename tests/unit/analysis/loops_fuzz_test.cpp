// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "analysis/loops.h"
#include "interpreter/interpreter.h"
#include "ir/visit.h"

// Random loops around the edges of their types: what is proved to end in so many turns does, for
// all the inputs that are tried.
namespace vyre {
namespace {

using Words = std::vector<std::uint32_t>;

/// So many turns are tried; steps are large, so that loops which end do so soon.
constexpr std::uint64_t kMostTurns = 4200;
constexpr std::uint64_t kStepsPerTurn = 80;
constexpr std::size_t kInputs = 4;

constexpr std::uint32_t kEdges[] = {0,          1,          2,          3,          7,
                                    100,        0x7ffffffd, 0x7ffffffe, 0x7fffffff, 0x80000000,
                                    0x80000001, 0xfffffffd, 0xfffffffe, 0xffffffff};
constexpr std::uint32_t kSteps[] = {0,          1,          2,          3,          0x00200000,
                                    0x00400001, 0x01000000, 0x20000000, 0x40000000, 0x7fffffff,
                                    0x80000000, 0xc0000000, 0xe0000001, 0xfffffffe, 0xffffffff};

class Author {
 public:
  explicit Author(std::uint32_t seed) : random_(seed), signed_(chance(40)) {}

  std::string write() {
    return "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n"
           "@group(0) @binding(1) var<storage, read> q: array<u32, 4>;\n"
           "fn step(at: ptr<function, " +
           type() + ">) { *at += " + step() +
           "; }\n"
           "@compute @workgroup_size(1) fn main() {\n  var i: " +
           type() + " = " + value(3) + ";\n  let r = " + value(3) + ";\n" + loop(2) +
           "  o[1] = u32(i);\n}\n";
  }

 private:
  std::uint32_t below(std::uint32_t count) { return static_cast<std::uint32_t>(random_() % count); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T, std::size_t N>
  const T& any(const T (&list)[N]) {
    return list[random_() % N];
  }
  [[nodiscard]] std::string type() const { return signed_ ? "i32" : "u32"; }
  std::string number(std::uint32_t bits) {
    return signed_ ? "bitcast<i32>(" + std::to_string(bits) + "u)" : std::to_string(bits) + "u";
  }
  std::string edge() { return number(any(kEdges)); }

  /// Something that does not change, or, with `kinds` 4, may.
  std::string value(unsigned kinds) {
    const std::string word = type() + "(q[" + std::to_string(random_() % kInputs) + "])";
    switch (random_() % kinds) {
      case 0:
      case 1: return edge();
      case 2:
        switch (random_() % 4) {
          case 0: return word;
          case 1: return "(" + word + " & " + number(any(kEdges) & 0x7fffffffu) + ")";
          case 2: return "max(" + word + ", " + edge() + ")";
          default: return "min(" + word + ", " + edge() + ")";
        }
      default: return type() + "(o[2])";
    }
  }
  std::string step() {
    if (chance(70)) return number(any(kSteps));
    return chance(50) ? "(" + number(any(kSteps)) + " + (" + value(4) + " & " + number(7) + "))"
                      : value(4);
  }
  std::string moving() {
    switch (random_() % 8) {
      case 0: return "(i + r)";
      case 1: return "(r - i)";
      case 2: return "(i * " + number(1u << random_() % 5) + ")";
      case 3: return signed_ ? "i32(u32(i) + 1u)" : "u32(i32(i) - 1)";
      default: return "i";
    }
  }
  std::string comparison() {
    static constexpr const char* kOps[] = {"<", "<=", ">", ">=", "!=", "=="};
    const std::string op = any(kOps);
    std::string x = moving();
    std::string y = chance(15) ? std::string("r") : value(4);
    if (chance(10)) {
      x = signed_ ? "u32(" + x + ")" : "i32(" + x + ")";
      y = signed_ ? "u32(" + y + ")" : "i32(" + y + ")";
    }
    return chance(70) ? x + " " + op + " " + y : y + " " + op + " " + x;
  }
  std::string condition() {
    if (chance(60)) return comparison();
    const std::string other = chance(50) ? "o[i & 3] == 9u" : "q[0] == q[1]";
    const char* joint = chance(50) ? " || " : " && ";
    const std::string first = comparison();
    return chance(50) ? "(" + first + ")" + joint + "(" + other + ")"
                      : "(" + other + ")" + joint + "(" + first + ")";
  }

  std::string move() {
    switch (random_() % 12) {
      case 0: return "i = i >> " + std::to_string(random_() % 4) + "u;";
      case 1: return "i = i << " + std::to_string(random_() % 4) + "u;";
      case 2: return "i /= " + number(1 + below(3)) + ";";
      case 3: return "i *= " + number(1 + below(3)) + ";";
      case 4: return chance(50) ? "i += i;" : "i &= i - " + number(1 + below(2)) + ";";
      case 5: return "step(&i);";
      case 6:
      case 7: return "i -= " + step() + ";";
      default: return "i += " + step() + ";";
    }
  }
  std::string test() {
    switch (random_() % 4) {
      case 0: return "if (" + condition() + ") { } else { break; }";
      case 1: return "if (" + condition() + ") { return; }";
      default: return "if (" + condition() + ") { break; }";
    }
  }
  std::string other(unsigned depth) {
    switch (random_() % 8) {
      case 0: return "if (o[0] == 0u) { continue; }";
      case 1: return "if (q[2] < 5u) { continue; }";
      case 2: return "if (q[2] < 5u) { " + move() + " }";
      case 3: return "if (q[2] < 5u) { if (" + condition() + ") { break; } }";
      case 4: return "if (q[1] < 5u) { " + move() + " } else { " + move() + " }";
      case 5: return "o[3] += 1u;";
      case 6: return depth > 0 ? loop(depth - 1) : "";
      default: return "if (" + condition() + ") { if (q[3] > 3u) { continue; } break; }";
    }
  }

  std::string loop(unsigned depth) {
    std::string body = "    if (o[0] == 77u) { break; }\n";
    const bool steps_last = chance(50);
    std::vector<std::string> parts = {test()};
    if (!steps_last) parts.push_back(move());
    while (chance(35))
      parts.push_back(other(depth));
    std::shuffle(parts.begin(), parts.end(), random_);
    for (const std::string& part : parts)
      body += "    " + part + "\n";
    std::string last = steps_last ? move() : "";
    if (chance(20)) last += " break if " + condition() + ";";
    return "  loop {\n" + body + "    continuing { " + last + " }\n  }\n";
  }

  std::mt19937 random_;
  bool signed_;
};

/// The turns of all loops of a run, at most; none if some loop is not proved.  Loops in others run
/// once in each of their turns.
struct Total {
  const Program& program;
  const LoopTurns& turns;
  std::vector<std::optional<std::uint64_t>> sums = {0};

  void statement(StmtId id) {
    if (std::holds_alternative<Loop>(program[id])) sums.emplace_back(0);
  }
  void after(StmtId id) {
    if (!std::holds_alternative<Loop>(program[id])) return;
    const auto inner = sums.back();
    sums.pop_back();
    const auto own = turns.turns(id);
    if (!own || !inner || !sums.back() || *own > kMostTurns)
      sums.back().reset();
    else
      *sums.back() += *own * (1 + *inner);
  }
};

bool ends(const Program& program, const Words& given, std::uint64_t turns) {
  Words in = given;
  Words out = {1, 0, given[1], 0};
  std::vector<interpreter::BufferBytes> buffers(program.buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    Words& words = program.buffers[i].name == "q" ? in : out;
    buffers[i] = {std::as_writable_bytes(std::span(words)), words.size()};
  }
  interpreter::RunInputs inputs;
  inputs.buffers = buffers;
  inputs.max_steps = (turns + 2) * kStepsPerTurn;
  return !interpreter::interpret(program, inputs).out_of_steps;
}

TEST(LoopsFuzz, WhatIsProvedToEndEnds) {
  std::size_t proved = 0;
  std::size_t loops = 0;
  std::mt19937 random(11);
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    const std::string text = Author(seed).write();
    const auto valid = parse_wgsl(text);

    if (!valid) continue;  // what is known when it is read may be a fault: a division, a shift
    ++loops;
    const Program& program = valid->program();
    const LoopTurns turns(program);
    Total total = {program, turns};
    walk(program, total);
    if (!total.sums.back() || *total.sums.back() > kMostTurns) continue;
    ++proved;
    for (int run = 0; run < 12; ++run) {
      Words given(kInputs);
      for (std::uint32_t& word : given)
        word = random() % 3 != 0 ? kEdges[random() % std::size(kEdges)]
                                 : static_cast<std::uint32_t>(random());
      ASSERT_TRUE(ends(program, given, *total.sums.back()))
          << "seed " << seed << ", " << *total.sums.back() << " turns, q = " << given[0] << " "
          << given[1] << " " << given[2] << " " << given[3] << "\n"
          << text;
    }
  }
  EXPECT_GT(loops, 3000u);
  EXPECT_GT(proved, 200u);
}

}  // namespace
}  // namespace vyre
