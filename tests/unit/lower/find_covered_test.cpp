// SPDX-License-Identifier: MIT OR Apache-2.0
#include "lower/find_covered.h"

#include <gtest/gtest.h>

#include "vyre/builder.h"

namespace vyre {
namespace {

using Body = void (*)(Builder& b, Memory& x, Memory& y, Value i);

/// Is `y` covered by a kernel over inputs `x` and output `y` with this body?
bool covers_y(Body body, ScalarType type = ScalarType::u32, std::uint32_t height = 1) {
  Builder b("k", {.workgroup = {64, height}});
  auto x = b.input<std::uint32_t>("x");
  auto y = b.buffer("y", Access::output, type);
  body(b, x, y, b.global_id());
  return find_covered(b.finish())[1];
}

TEST(FindCovered, AStoreOfEveryElement) {
  EXPECT_TRUE(covers_y([](Builder&, Memory& x, Memory& y, Value i) { y[i] = x[i]; }));
  EXPECT_TRUE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(i < y.length(), [&] { y[i] = x[i]; });
  }));
  EXPECT_TRUE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(y.length() > i, [&] { y[i] = x[i]; });
  }));
  EXPECT_TRUE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(i >= y.length(), [&] { b.return_(); });
    const Value j = b.let(i);
    y[j] = x[i];
  }));
}

TEST(FindCovered, NotWhereSomeElementMayBeLeftOut) {
  EXPECT_FALSE(covers_y([](Builder&, Memory& x, Memory& y, Value i) { y[i + 1u] = x[i]; }));
  EXPECT_FALSE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(i < x.length(), [&] { y[i] = x[i]; });
  }));
  EXPECT_FALSE(covers_y(
      [](Builder& b, Memory& x, Memory& y, Value i) { b.if_(x[i] == 0u, [&] { y[i] = 1u; }); }));
  EXPECT_FALSE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(
        i < y.length(), [] {}, [&] { y[i] = x[i]; });
  }));
  EXPECT_FALSE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(x[i] == 0u, [&] { b.return_(); });
    y[i] = 1u;
  }));
  EXPECT_FALSE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.if_(i >= x.length(), [&] { b.return_(); });
    y[i] = 1u;
  }));
  EXPECT_FALSE(covers_y([](Builder& b, Memory& x, Memory& y, Value i) {
    b.loop([&] {
      b.if_(x[i] == 0u, [&] { b.break_(); });
      y[i] = 1u;
      b.break_();
    });
  }));
}

TEST(FindCovered, NotWhereTheOldBytesAreSeen) {
  EXPECT_FALSE(covers_y([](Builder&, Memory&, Memory& y, Value i) { y[i] = y[i] + 1u; }));
  EXPECT_FALSE(
      covers_y([](Builder&, Memory& x, Memory& y, Value i) { y[i] = x[i]; }, ScalarType::u8));
}

TEST(FindCovered, NotInTwoDimensions) {
  EXPECT_FALSE(
      covers_y([](Builder&, Memory& x, Memory& y, Value i) { y[i] = x[i]; }, ScalarType::u32, 2));
}

}  // namespace
}  // namespace vyre
