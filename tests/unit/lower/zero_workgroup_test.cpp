// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "ir/assembler.h"
#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

constexpr auto kU32 = ScalarType::u32;

/// True if the pass puts zeros into some of the program's workgroup memory.
bool zeroes(Builder& b) {
  const Program program = b.finish();
  return zero_workgroup(program).stmts.size() != program.stmts.size();
}

TEST(ZeroWorkgroup, ZeroesWhatIsReadFirst) {
  Builder b("reads", {.workgroup = 8});
  auto shared = b.workgroup("shared", kU32, 8);
  auto out = b.output<std::uint32_t>("out", 8);
  out[b.local_index()] = shared[b.local_index()];
  EXPECT_TRUE(zeroes(b));
}

TEST(ZeroWorkgroup, SparesWhatAllLanesStoreFirst) {
  Builder b("reduces", {.workgroup = 8});
  auto shared = b.workgroup("shared", kU32, 8);
  auto out = b.output<std::uint32_t>("out", 8);
  const Value i = b.local_index();
  shared[i] = i;
  b.workgroup_barrier();
  out[i] = shared[7u - i];
  EXPECT_FALSE(zeroes(b));
}

TEST(ZeroWorkgroup, SparesTilesThatALoopFills) {
  Builder b("tiles", {.workgroup = {4, 4}});
  const LayoutId row = b.assembler().array(b.assembler().scalar(kU32), 4);
  const BufferId id = b.assembler().buffer(
      {.name = "tile", .space = Space::workgroup, .layout = b.assembler().array(row, 4)});
  const Memory tile(&b, id);
  auto out = b.output<std::uint32_t>("out", 16);
  const Value x = b.local_id(0);
  const Value y = b.local_id(1);
  b.for_(0u, 3u, [&](Value round) {
    tile[y][x] = round;
    b.workgroup_barrier();
    out[b.local_index()] = tile[x][y];
    b.workgroup_barrier();
  });
  EXPECT_FALSE(zeroes(b));
}

TEST(ZeroWorkgroup, DoesNotTrustPartsOrMissingBarriers) {
  const auto with = [](const std::function<void(Builder&, Memory&, const Value&)>& write) {
    Builder b("parts", {.workgroup = 8});
    auto shared = b.workgroup("shared", kU32, 9);
    auto out = b.output<std::uint32_t>("out", 8);
    const Value i = b.local_index();
    write(b, shared, i);
    out[i] = shared[i];
    return zeroes(b);
  };
  EXPECT_TRUE(with([](Builder& b, Memory& shared, const Value& i) {
    shared[i] = i;  // 8 of 9
    b.workgroup_barrier();
  }));
  Builder b("early", {.workgroup = 8});
  auto shared = b.workgroup("shared", kU32, 8);
  auto out = b.output<std::uint32_t>("out", 8);
  const Value i = b.local_index();
  shared[i] = i;
  out[i] = shared[7u - i];  // nothing between
  EXPECT_TRUE(zeroes(b));
}

TEST(ZeroWorkgroup, SparesWhatNothingReads) {
  Builder b("writes", {.workgroup = 8});
  auto shared = b.workgroup("shared", kU32, 100);
  shared[b.local_index() * 2u] = 1u;
  EXPECT_FALSE(zeroes(b));
}

TEST(ZeroWorkgroup, ZeroesEveryElementOfEveryKind) {
  for (const std::uint32_t lanes : {1u, 7u, 24u, 32u}) {
    Builder b("kinds", {.workgroup = lanes});
    Assembler& to = b.assembler();
    const std::vector<Assembler::MemberDecl> members = {
        {"flags", to.array(to.atomic(kU32), 5)},
        {"points", to.array(to.array(to.vector(ScalarType::f32, 3), 3), 2)},
        {"last", to.scalar(ScalarType::i32)}};
    const BufferId id = to.buffer(
        {.name = "all", .space = Space::workgroup, .layout = to.structure("All", members)});
    const Memory all(&b, id);
    auto out = b.output<std::uint32_t>("out", 32);
    const Value i = b.local_index();
    const auto sum = [&] {
      const Value point = all.member("points")[i % 2u][i % 3u][i % 3u];
      return bitcast(kU32, point) + all.member("flags")[i % 5u].atomic_load() +
             bitcast(kU32, Value(all.member("last")));
    };
    out[i] = sum();
    b.workgroup_barrier();
    all.member("flags")[i % 5u].atomic_add(7u);  // for the next workgroup to find
    const auto valid = b.build();
    ASSERT_TRUE(valid) << valid.error().to_string();
    const PassInputs inputs = {{host(out, std::vector<std::uint32_t>(32))}, {2, 1, 1}};
    EXPECT_EQ(check_passes(*valid, inputs, everything_target()), "");
    // Every scalar of the layout is stored to: 5 atomics, 2 x 3 vectors, 1 scalar.
    const Program zeroed = zero_workgroup(valid->program());
    EXPECT_GT(zeroed.stmts.size(), valid->program().stmts.size());
  }
}

}  // namespace
}  // namespace vyre::test
