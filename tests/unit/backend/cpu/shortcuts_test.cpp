// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>

#include <gtest/gtest.h>

#include "unit/backend/cpu/rig.h"

// Where the machine does less than the program says: what it leaves out makes no difference.
namespace vyre::cpu {
namespace {

constexpr std::uint32_t kCount = 300;  // a whole strip and a part of one

TEST(Shortcuts, WhatALoopDoesNotChange) {
  Kernel k({100, 1, 1});
  const ExprId bound = k.let(k.add(k.gid(), k.u32(3)));
  const VarId sum = k.var(ScalarType::u32);
  const VarId i = k.var(ScalarType::u32);
  const BlockId outer = k.block([&] {
    const VarId j = k.var(ScalarType::u32);
    const BlockId inner = k.block([&] {
      // One part changes in neither loop, one in the outer only, one in both.
      const ExprId fixed = k.mul(bound, k.u32(7));
      const ExprId slow = k.mul(k.get(i), k.u32(5));
      k.add_to(sum, k.add(k.add(fixed, slow), k.get(j)));
      k.add_to(j, k.u32(1));
    });
    const BlockId next = k.open();
    const ExprId last = k.op(Op::ge, {k.get(j), k.u32(3)});
    k.close();
    k.loop(inner, next, last);
    k.add_to(i, k.u32(1));
  });
  const BlockId continuing = k.open();
  const ExprId done = k.op(Op::ge, {k.get(i), k.op(Op::bit_and, {bound, k.u32(3)})});
  k.close();
  k.loop(outer, continuing, done);
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 3, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t total = 0;
              std::uint32_t at = 0;
              do {
                for (std::uint32_t j = 0; j < 3; ++j)
                  total += (gid + 3) * 7 + at * 5 + j;
                ++at;
              } while (at < ((gid + 3) & 3));
              return total;
            }));
}

TEST(Shortcuts, LeavingOnEitherOfTwoConditionsAndOnNot) {
  Kernel k({100, 1, 1});
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    const ExprId now = k.get(i);
    const ExprId either =
        k.op(Op::logical_or, {k.op(Op::ge, {now, k.u32(40)}), k.equal(now, k.gid())});
    k.when(either, [&] { k.break_(); });
    k.when(k.op(Op::logical_not, {k.less(k.mul(now, k.u32(2)), k.gid())}), [&] { k.break_(); });
    k.add_to(i, k.u32(1));
  });
  k.loop(body);
  k.put(k.gid(), k.get(i));
  EXPECT_EQ(run(std::move(k), 3, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t at = 0;
              while (at < 40 && at != gid && at * 2 < gid)
                ++at;
              return at;
            }));
}

TEST(Shortcuts, LeavingUnlessBothConditionsHold) {
  Kernel k({100, 1, 1});
  const auto no = [&](ExprId e) { return k.op(Op::logical_not, {e}); };
  const auto both = [&](ExprId a, ExprId b) { return k.op(Op::logical_and, {a, b}); };
  const VarId i = k.var(ScalarType::u32);
  const BlockId body = k.block([&] {
    const ExprId now = k.get(i);
    const ExprId few = k.less(now, k.u32(40));
    k.when(no(both(few, no(k.equal(now, k.gid())))), [&] { k.break_(); });
    const ExprId ends = no(both(no(no(k.less(k.mul(now, k.u32(2)), k.gid()))),
                                both(k.op(Op::ne, {now, k.u32(33)}), no(k.odd(k.gid())))));
    k.when(no(no(ends)), [&] { k.break_(); });
    k.add_to(i, k.u32(1));
  });
  k.loop(body);
  k.put(k.gid(), k.get(i));
  EXPECT_EQ(run(std::move(k), 3, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t at = 0;
              while (at < 40 && at != gid && at * 2 < gid && at != 33 && gid % 2 == 0)
                ++at;
              return at;
            }));
}

TEST(Shortcuts, IndicesThatWrapAreOutOfBoundsOneByOne) {
  Kernel k({100, 1, 1});
  const BufferId in = k.words("in");
  // Side by side, but the first lanes lie before the start and the last ones after the end.
  k.put(k.gid(), k.load(at(in, k.op(Op::sub, {k.gid(), k.u32(5)}))));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(in, expected(280, [](std::uint32_t i) { return 1000 + i; }));
  rig.size(out, kCount);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(kCount, [](std::uint32_t gid) {
              return gid < 5 || gid - 5 >= 280 ? 0 : 1000 + gid - 5;
            }));
}

TEST(Shortcuts, DivisionsByPowersOfTwo) {
  for (const std::uint32_t power : {1u, 2u, 16u, 0x80000000u}) {
    Kernel k({100, 1, 1});
    const ExprId x = k.mul(k.gid(), k.u32(2654435761u));
    const ExprId both = k.add(k.op(Op::div, {x, k.u32(power)}), k.op(Op::rem, {x, k.u32(power)}));
    const auto signed_x = k.bitcast(ScalarType::i32, x);
    const auto signed_power = k.i32(static_cast<std::int32_t>(power));
    k.put(k.gid(), k.op(Op::bit_xor, {both, k.bitcast(ScalarType::u32,
                                                      k.op(Op::div, {signed_x, signed_power}))}));
    EXPECT_EQ(
        run(std::move(k), 3, kCount),
        expected(kCount,
                 [=](std::uint32_t gid) {
                   const std::uint32_t word = gid * 2654435761u;
                   const std::int64_t quotient = std::int64_t{static_cast<std::int32_t>(word)} /
                                                 static_cast<std::int32_t>(power);
                   return (word / power + word % power) ^ static_cast<std::uint32_t>(quotient);
                 }))
        << power;
  }
}

/// One divisor for all lanes, and numbers just beside its multiples.
TEST(Shortcuts, DivisionsByOneNumber) {
  constexpr std::uint32_t kDivisors[] = {
      0,          1,          2,          3,          5,          7,          10,
      255,        641,        65535,      65537,      0x12345678, 0x7ffffffe, 0x7fffffff,
      0x80000000, 0x80000001, 0xaaaaaaab, 0xfffffff9, 0xfffffffe, 0xffffffff};
  const auto dividend = [](std::uint32_t y, std::uint32_t i) {
    const std::uint32_t most = y == 0 ? 0 : 0xffffffff / y;
    const std::uint32_t multiple = i % 2 == 0 ? i / 6 : most - i / 6;
    return y * multiple + i % 3 - 1;
  };
  for (const std::uint32_t y : kDivisors)
    for (const bool is_signed : {false, true}) {
      Kernel k({256, 1, 1});
      const BufferId in = k.words("in");
      const ScalarType type = is_signed ? ScalarType::i32 : ScalarType::u32;
      const auto use = [&](ExprId e) { return is_signed ? k.bitcast(type, e) : e; };
      const ExprId x = use(k.load(at(in, k.gid())));
      const ExprId by = use(k.load(at(in, k.u32(256))));
      const auto put = [&](std::uint32_t from, Op op) {
        k.put(k.add(k.gid(), k.u32(from)), k.bitcast(ScalarType::u32, k.op(op, {x, by})));
      };
      put(0, Op::div);
      put(256, Op::rem);
      const BufferId out = k.out;
      Rig rig(std::move(k));
      rig.fill(in, expected(257, [&](std::uint32_t i) { return i == 256 ? y : dividend(y, i); }));
      rig.size(out, 512);
      rig.run(1);
      EXPECT_EQ(rig.read<std::uint32_t>(out),
                expected(512,
                         [&](std::uint32_t i) {
                           const std::uint32_t n = dividend(y, i % 256);
                           const bool keeps =
                               y == 0 || (is_signed && n == 0x80000000 && y == 0xffffffff);
                           if (keeps) return i < 256 ? n : 0u;
                           if (!is_signed) return i < 256 ? n / y : n % y;
                           const auto a = static_cast<std::int32_t>(n);
                           const auto b = static_cast<std::int32_t>(y);
                           return static_cast<std::uint32_t>(i < 256 ? a / b : a % b);
                         }))
          << y << is_signed;
    }
}

TEST(Shortcuts, AVariableThatBeginsWithAValue) {
  Kernel k({100, 1, 1});
  const BufferId in = k.words("in");
  const ExprId before = k.load(at(in, k.gid()));
  const ExprId alone = k.load(at(in, k.add(k.gid(), k.u32(1))));
  const VarId last = k.var(ScalarType::u32, alone);  // its only use
  const VarId turn = k.var(ScalarType::u32);
  const VarId sum = k.var(ScalarType::u32);
  k.loop(k.block([&] {
    k.when(k.op(Op::ge, {k.get(turn), k.u32(3)}), [&] { k.break_(); });
    const VarId copy = k.var(ScalarType::u32, before);  // once in the text, three times in all
    k.add_to(copy, k.u32(1));
    k.add_to(last, k.get(copy));
    k.add_to(sum, k.get(last));
    k.add_to(turn, k.u32(1));
  }));
  k.put(k.gid(), k.get(sum));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  const Words numbers = expected(kCount, [](std::uint32_t i) { return i * 3 + 5; });
  rig.fill(in, numbers);
  rig.size(out, kCount);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(kCount, [&](std::uint32_t gid) {
              const std::uint32_t first = gid + 1 < kCount ? numbers[gid + 1] : 0;
              const std::uint32_t step = numbers[gid] + 1;
              return 3 * first + 6 * step;
            }));
}

TEST(Shortcuts, WordsThatNothingWrites) {
  Kernel k({100, 1, 1});
  const BufferId params = k.elements("params", ScalarType::u32, 4, Space::uniform);
  const VarId sum = k.var(ScalarType::u32);
  k.when(k.odd(k.gid()), [&] { k.add_to(sum, k.load(at(params, k.u32(2)))); });
  k.add_to(sum, k.load(at(params, k.u32(1))));
  k.put(k.gid(), k.get(sum));
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(params, Words{1, 20, 300, 4000});
  rig.size(out, kCount);
  rig.run(3);
  EXPECT_EQ(rig.read<std::uint32_t>(out),
            expected(kCount, [](std::uint32_t gid) { return gid % 2 != 0 ? 320u : 20u; }));
}

/// Turns of lane `gid` in the loops below: few and many, in no order.
std::uint32_t turns(std::uint32_t gid) {
  return gid * 2654435761u >> 26;
}
ExprId turns(Kernel& k) {
  return k.op(Op::shr, {k.mul(k.gid(), k.u32(2654435761u)), k.u32(26)});
}
/// `while (i < bound) { body; i += 1; }`
template <typename F>
void count_to(Kernel& k, VarId i, ExprId bound, F&& body) {
  const BlockId block = k.block([&] {
    k.when(k.op(Op::ge, {k.get(i), bound}), [&] { k.break_(); });
    body();
    k.add_to(i, k.u32(1));
  });
  k.loop(block);
}

TEST(Shortcuts, OldValuesInTheStatementThatSetsTheVariable) {
  Kernel k({256, 1, 1});
  const ExprId bound = k.let(turns(k));
  const VarId a = k.var(ScalarType::u32, k.gid());
  const VarId b = k.var(ScalarType::u32, k.u32(1));
  const VarId i = k.var(ScalarType::u32);
  count_to(k, i, bound, [&] {
    const ExprId was_a = k.get(a);
    const ExprId was_b = k.get(b);
    k.set(a, was_b);
    k.set(b, k.add(k.mul(was_a, was_b), was_a));
  });
  k.put(k.gid(), k.add(k.mul(k.get(a), k.u32(3)), k.get(b)));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t x = gid;
              std::uint32_t y = 1;
              for (std::uint32_t n = 0; n < turns(gid); ++n) {
                const std::uint32_t was = x;
                x = y;
                y = was * y + was;
              }
              return x * 3 + y;
            }));
}

TEST(Shortcuts, LanesOutOfALoopKeepWhatIsReadLater) {
  Kernel k({256, 1, 1});
  const ExprId bound = k.let(turns(k));
  const VarId outer = k.var(ScalarType::u32);
  const VarId total = k.var(ScalarType::u32, k.u32(5));
  const VarId across = k.var(ScalarType::u32, k.gid());
  count_to(k, outer, k.u32(3), [&] {
    const VarId i = k.var(ScalarType::u32, k.get(outer));
    const VarId inside = k.var(ScalarType::u32, k.u32(7));
    count_to(k, i, bound, [&] {
      // `across` is read in the next turn of the outer loop, `total` at the end, `inside` never.
      k.set(inside, k.mul(k.get(inside), k.u32(3)));
      k.set(across, k.add(k.get(across), k.get(inside)));
      k.add_to(total, k.get(across));
    });
  });
  k.put(k.gid(), k.get(total));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t sum = 5;
              std::uint32_t kept = gid;
              for (std::uint32_t turn = 0; turn < 3; ++turn) {
                std::uint32_t power = 7;
                for (std::uint32_t n = turn; n < turns(gid); ++n)
                  sum += kept += power *= 3;
              }
              return sum;
            }));
}

TEST(Shortcuts, LanesThatContinueKeepWhatContinuingReads) {
  Kernel k({256, 1, 1});
  const ExprId bound = k.let(turns(k));
  const VarId i = k.var(ScalarType::u32);
  const VarId far = k.var(ScalarType::u32, k.u32(1));
  const VarId sum = k.var(ScalarType::u32);
  const BlockId body = k.open();
  const VarId near = k.var(ScalarType::u32, k.u32(100));
  k.when(k.odd(k.add(k.get(i), k.gid())), [&] { k.continue_(); });
  k.set(far, k.add(k.get(far), k.u32(2)));
  k.set(near, k.get(i));
  k.close();
  const BlockId next = k.open();
  k.add_to(sum, k.add(k.get(far), k.get(near)));
  k.add_to(i, k.u32(1));
  const ExprId last = k.op(Op::ge, {k.get(i), bound});
  k.close();
  k.loop(body, next, last);
  k.put(k.gid(), k.get(sum));
  EXPECT_EQ(run(std::move(k), 2, kCount), expected(kCount, [](std::uint32_t gid) {
              std::uint32_t total = 0;
              std::uint32_t slow = 1;
              std::uint32_t n = 0;
              do {
                std::uint32_t quick = 100;
                if ((n + gid) % 2 == 0) {
                  slow += 2;
                  quick = n;
                }
                total += slow + quick;
              } while (++n < turns(gid));
              return total;
            }));
}

TEST(Shortcuts, FewLanesGoThroughALoopOnTheirOwn) {
  Kernel k({256, 1, 1});
  const BufferId in = k.words("in");
  const ExprId bound = k.let(turns(k));
  const VarId i = k.var(ScalarType::u32);
  const VarId sum = k.var(ScalarType::u32);
  count_to(k, i, bound, [&] {
    const VarId j = k.var(ScalarType::u32);
    count_to(k, j, k.op(Op::rem, {k.add(k.gid(), k.get(i)), k.u32(11)}), [&] {
      k.when(k.equal(k.get(sum), k.u32(777)), [&] { k.return_(); });
      k.add_to(sum, k.load(at(in, k.add(k.get(i), k.get(j)))));
    });
    k.when(k.less(k.u32(3000), k.get(sum)), [&] { k.break_(); });
  });
  k.put(k.gid(), k.get(sum));
  Words numbers = expected(64, [](std::uint32_t n) { return n * n % 37 + 1; });
  const BufferId out = k.out;
  Rig rig(std::move(k));
  rig.fill(in, numbers);
  rig.size(out, kCount);
  rig.run(2);
  EXPECT_EQ(rig.read<std::uint32_t>(out), expected(kCount, [&](std::uint32_t gid) {
              std::uint32_t total = 0;
              for (std::uint32_t n = 0; n < turns(gid) && total <= 3000; ++n)
                for (std::uint32_t m = 0; m < (gid + n) % 11; ++m) {
                  if (total == 777) return 0u;
                  total += n + m < 64 ? numbers[n + m] : 0;
                }
              return total;
            }));
}

TEST(Shortcuts, LoopsThatWriteGoOnTogether) {
  // Each lane's turns are in step with those of the others: a lane sees all of an earlier turn.
  Kernel k({256, 1, 1});
  const BufferId shared = k.elements("shared", ScalarType::u32, 256, Space::workgroup);
  const ExprId bound = k.let(turns(k));
  const VarId i = k.var(ScalarType::u32);
  count_to(k, i, k.u32(64), [&] {
    k.when(k.less(k.get(i), bound),
           [&] { k.store(at(shared, k.lid()), k.add(k.get(i), k.u32(1))); });
    k.barrier(true, false);
    const ExprId seen =
        k.load(at(shared, k.op(Op::bit_and, {k.add(k.lid(), k.u32(99)), k.u32(255)})));
    k.put(k.gid(), k.add(k.load(at(k.out, k.gid())), seen));
    k.barrier(true, false);
  });
  EXPECT_EQ(run(std::move(k), 1, 256), expected(256, [](std::uint32_t gid) {
              const std::uint32_t most = turns((gid + 99) & 255);
              std::uint32_t total = 0;
              for (std::uint32_t n = 1; n <= 64; ++n)
                total += n < most ? n : most;
              return total;
            }));
}

}  // namespace
}  // namespace vyre::cpu
