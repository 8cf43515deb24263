// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Integers of 64 bits: the full value where the device has them, else the coded refusal.
namespace vyre::test {
namespace {

using Wide = std::vector<std::int64_t>;

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

class DispatchWideIntegers : public DeviceTest {
 protected:
  /// Checks what `out` holds after `body`, which sees each `x` and `y` of the inputs as `p` and
  /// `q`.
  void expect(const std::string& body,
              std::size_t per_element,
              const Wide& x,
              const Wide& y,
              const Wide& expected) const {
    const std::string n = std::to_string(x.size());
    const std::string each = std::to_string(per_element);
    const auto program = parse_wgsl(
        "@group(0) @binding(0) var<storage, read> x: array<i64, " + n +
        ">;\n@group(0) @binding(1) var<storage, read> y: array<i64, " + n +
        ">;\n@group(0) @binding(2) var<storage, read_write> out: array<i64, " + n + " * " + each +
        R"(>;
          const table = array<i64, 3>(4294967301, -1, 7);
          @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            let p = x[id.x]; let q = y[id.x]; let at = id.x * )" +
        each + ";\n" + body + "}");
    ASSERT_OK(program);
    const auto groups = static_cast<std::uint32_t>(x.size());
    const DispatchOptions options = {.grid = std::array<std::uint32_t, 3>{groups, 1, 1}};
    const auto outputs = device().dispatch(*program, {{"x", x}, {"y", y}}, options);
    if (device().info().has(Capability::int64)) {
      ASSERT_OK(outputs);
      EXPECT_EQ(to_vector(outputs->as<std::int64_t>("out")), expected) << body;
    } else {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
    }
  }
};

TEST_P(DispatchWideIntegers, AnElementHoldsTheFullValue) {
  expect("out[at] = p; out[at + 1] = table[u32(q)]; out[at + 2] = 4294967301li;", 3,
         {4294967301, kMin}, {0, 1}, {4294967301, 4294967301, 4294967301, kMin, -1, 4294967301});
}

TEST_P(DispatchWideIntegers, ArithmeticWraps) {
  expect(
      "out[at] = p + q; out[at + 1] = p - q; out[at + 2] = p * q; out[at + 3] = -p;", 4,
      {kMax, 4294967301}, {1, -10000000000},
      {kMin, kMax - 1, kMax, -kMax, -5705032699, 14294967301, -6056184862580896768, -4294967301});
}

TEST_P(DispatchWideIntegers, DivisionIsTheDefinedTable) {
  expect("out[at] = p / q; out[at + 1] = p % q;", 2, {kMin, kMin, -7, 7, 10000000000, kMax},
         {-1, 0, 3, -3, 4294967301, 0}, {kMin, 0, kMin, 0, -2, -1, -2, 1, 2, 1410065398, kMax, 0});
}

TEST_P(DispatchWideIntegers, ShiftsTakeTheCountModuloTheWidth) {
  expect(
      "out[at] = p << u32(q); out[at + 1] = p >> u32(q); "
      "out[at + 2] = i64(u64(p) >> u32(q));",
      3, {-8, 5, 5}, {1, 33, 66}, {-16, -4, 9223372036854775804, 42949672960, 0, 0, 20, 1, 1});
}

TEST_P(DispatchWideIntegers, BitsAreCountedInBothHalves) {
  expect(
      "out[at] = countOneBits(p); out[at + 1] = countLeadingZeros(p); "
      "out[at + 2] = countTrailingZeros(p); out[at + 3] = reverseBits(p); "
      "out[at + 4] = firstLeadingBit(p); out[at + 5] = firstTrailingBit(p);",
      6, {1, 1099511627776, 0, -1}, {0, 0, 0, 0},
      {1, 63, 0,  kMin, 0,  0,  1,  23, 40, 8388608, 40, 40,
       0, 64, 64, 0,    -1, -1, 64, 0,  0,  -1,      -1, 0});
}

TEST_P(DispatchWideIntegers, ComparisonsAndConversions) {
  expect(
      "out[at] = select(0li, 1li, p < q); out[at + 1] = select(0li, 1li, u64(p) < u64(q)); "
      "out[at + 2] = max(p, q); out[at + 3] = i64(i32(p)); out[at + 4] = i64(f32(p)); "
      "out[at + 5] = i64(f32(p) * 1e30); out[at + 6] = abs(p); out[at + 7] = sign(p);",
      8, {-4294967301, 4294967296}, {1, 4294967297},
      {1, 0, 1, -5, -4294967296, kMin, 4294967301, -1, 1, 1, 4294967297, 0, 4294967296,
       0x7fffff8000000000, 4294967296, 1});
}

TEST_P(DispatchWideIntegers, ConstantsHoldTheEdges) {
  expect(
      "let edges = array<i64, 4>(-9223372036854775807li - 1li, 9223372036854775807li, -1li, 0li);"
      "out[at] = edges[u32(q)]; out[at + 1] = p ^ (-9223372036854775807li - 1li);"
      "out[at + 2] = i64(array<u64, 2>(18446744073709551615lu, 9223372036854775808lu)[u32(q) & "
      "1]);",
      3, {1, 0, -1, kMin}, {0, 1, 2, 3},
      {kMin, kMin + 1, -1, kMax, kMin, kMin, -1, kMax, -1, 0, 0, kMin});
}

TEST_P(DispatchWideIntegers, WordsThatAreExtendedCompareWithConstants) {
  const Wide below = {1, 1, 0, 1, 0, 1, 0, 1};
  Wide expected = below;
  expected.insert(expected.end(), {1, 0, 1, 0, 1, 0, 1, 0});
  expected.insert(expected.end(), below.begin(), below.end());
  expected.insert(expected.end(), {0, 0, 1, 0, 0, 1, 0, 0});
  expect(
      "let s = i32(p); let u = u32(p); out[at] = select(0li, 1li, i64(s) < 5li);"
      "out[at + 1] = select(0li, 1li, i64(s) <= -1li);"
      "out[at + 2] = select(0li, 1li, i64(s) > 0li);"
      "out[at + 3] = select(0li, 1li, -6li >= i64(s));"
      "out[at + 4] = select(0li, 1li, i64(u) < 5li);"
      "out[at + 5] = select(0li, 1li, u64(u) > 4lu);"
      "out[at + 6] = select(0li, 1li, u64(s) < 5lu);"
      "out[at + 7] = select(0li, 1li, i64(s) == -6li);",
      8, {-6, 4, 4294967290, 5}, {0, 0, 0, 0}, expected);
}

/// What a shader expression of `p` and `q` gives.
struct Operation {
  const char* text;
  std::int64_t (*expected)(std::int64_t p, std::int64_t q);
};

std::uint64_t bits(std::int64_t x) {
  return static_cast<std::uint64_t>(x);
}
std::int64_t number(std::uint64_t x) {
  return static_cast<std::int64_t>(x);
}
std::int64_t float_bits(float x) {
  return std::bit_cast<std::uint32_t>(x);
}
/// Where language.md defines what C++ does not.
bool overflows(std::int64_t p, std::int64_t q) {
  return p == kMin && q == -1;
}

constexpr Operation kOperations[] = {
    {"p + q", [](auto p, auto q) { return number(bits(p) + bits(q)); }},
    {"p - q", [](auto p, auto q) { return number(bits(p) - bits(q)); }},
    {"p * q", [](auto p, auto q) { return number(bits(p) * bits(q)); }},
    {"p / q", [](auto p, auto q) { return q == 0 || overflows(p, q) ? p : p / q; }},
    {"p % q", [](auto p, auto q) { return q == 0 || overflows(p, q) ? std::int64_t{0} : p % q; }},
    {"i64(u64(p) / u64(q))", [](auto p, auto q) { return q == 0 ? p : number(bits(p) / bits(q)); }},
    {"i64(u64(p) % u64(q))",
     [](auto p, auto q) { return q == 0 ? std::int64_t{0} : number(bits(p) % bits(q)); }},
    {"-p", [](auto p, auto) { return number(0 - bits(p)); }},
    {"abs(p)", [](auto p, auto) { return p < 0 ? number(0 - bits(p)) : p; }},
    {"sign(p)", [](auto p, auto) { return std::int64_t{p > 0} - std::int64_t{p < 0}; }},
    {"min(p, q)", [](auto p, auto q) { return p < q ? p : q; }},
    {"max(p, q)", [](auto p, auto q) { return p < q ? q : p; }},
    {"i64(min(u64(p), u64(q)))", [](auto p, auto q) { return bits(p) < bits(q) ? p : q; }},
    {"i64(max(u64(p), u64(q)))", [](auto p, auto q) { return bits(p) < bits(q) ? q : p; }},
    {"clamp(p, -5li, q)",
     [](auto p, auto q) { return std::min(std::max(p, std::int64_t{-5}), q); }},
    {"p & q", [](auto p, auto q) { return p & q; }},
    {"p | q", [](auto p, auto q) { return p | q; }},
    {"p ^ q", [](auto p, auto q) { return p ^ q; }},
    {"~p", [](auto p, auto) { return ~p; }},
    {"p << u32(q)", [](auto p, auto q) { return number(bits(p) << (q & 63)); }},
    {"p >> u32(q)", [](auto p, auto q) { return p >> (q & 63); }},
    {"i64(u64(p) >> u32(q))", [](auto p, auto q) { return number(bits(p) >> (q & 63)); }},
    {"select(0li, 1li, p < q)", [](auto p, auto q) { return std::int64_t{p < q}; }},
    {"select(0li, 1li, p <= q)", [](auto p, auto q) { return std::int64_t{p <= q}; }},
    {"select(0li, 1li, p > q)", [](auto p, auto q) { return std::int64_t{p > q}; }},
    {"select(0li, 1li, p >= q)", [](auto p, auto q) { return std::int64_t{p >= q}; }},
    {"select(0li, 1li, p == q)", [](auto p, auto q) { return std::int64_t{p == q}; }},
    {"select(0li, 1li, p != q)", [](auto p, auto q) { return std::int64_t{p != q}; }},
    {"select(0li, 1li, u64(p) < u64(q))",
     [](auto p, auto q) { return std::int64_t{bits(p) < bits(q)}; }},
    {"select(0li, 1li, u64(p) >= u64(q))",
     [](auto p, auto q) { return std::int64_t{bits(p) >= bits(q)}; }},
    {"select(p, q, p < 0)", [](auto p, auto q) { return p < 0 ? q : p; }},
    {"countOneBits(p)", [](auto p, auto) { return std::int64_t{std::popcount(bits(p))}; }},
    {"countLeadingZeros(p)", [](auto p, auto) { return std::int64_t{std::countl_zero(bits(p))}; }},
    {"countTrailingZeros(p)", [](auto p, auto) { return std::int64_t{std::countr_zero(bits(p))}; }},
    {"i64(i32(p))", [](auto p, auto) { return std::int64_t{static_cast<std::int32_t>(p)}; }},
    {"i64(u32(p))", [](auto p, auto) { return std::int64_t{static_cast<std::uint32_t>(p)}; }},
    {"i64(u64(i32(p)))", [](auto p, auto) { return std::int64_t{static_cast<std::int32_t>(p)}; }},
    {"i64(u64(u32(p)))", [](auto p, auto) { return std::int64_t{static_cast<std::uint32_t>(p)}; }},
    {"i64(bool(p))", [](auto p, auto) { return std::int64_t{p != 0}; }},
    {"bitcast<i64>(bitcast<u64>(p))", [](auto p, auto) { return p; }},
    {"i64(bitcast<u32>(f32(p)))", [](auto p, auto) { return float_bits(static_cast<float>(p)); }},
    {"i64(bitcast<u32>(f32(u64(p))))",
     [](auto p, auto) { return float_bits(static_cast<float>(bits(p))); }},
    // Clamped to the greatest float that an i64 can hold; of a u64 this is below what it can hold.
    {"i64(f32(p))",
     [](auto p, auto) {
       const auto real = static_cast<float>(p);
       return real < 0x1p63f ? static_cast<std::int64_t>(real) : 0x7fffff8000000000;
     }},
    {"i64(u64(f32(p)))",
     [](auto p, auto) {
       return p < 0 ? 0 : number(static_cast<std::uint64_t>(static_cast<float>(p)));
     }},
};

TEST_P(DispatchWideIntegers, OperatorsGiveTheirResultsAtEveryEdge) {
  const Wide edges = {0,
                      1,
                      -1,
                      2,
                      -7,
                      63,
                      64,
                      65,
                      0x7fffffff,
                      0x80000000,
                      -0x80000000LL,
                      0xffffffff,
                      0x100000000,
                      0x100000001,
                      -0x100000001LL,
                      0x1fffffffffffff,
                      0x20000000000000,
                      0x20000000000001,
                      -0x20000000000001LL,
                      kMax - 1,
                      kMax,
                      kMin,
                      kMin + 1};
  Wide x;
  Wide y;
  Wide expected;
  for (const std::int64_t p : edges)
    for (const std::int64_t q : edges) {
      x.push_back(p);
      y.push_back(q);
      for (const Operation& each : kOperations)
        expected.push_back(each.expected(p, q));
    }
  std::string body;
  for (const Operation& each : kOperations)
    body +=
        std::string(body.empty() ? "var n = at; " : "n += 1; ") + "out[n] = " + each.text + ";\n";
  expect(body, std::size(kOperations), x, y, expected);
}

TEST_P(DispatchWideIntegers, LieInMemoryOfEveryKind) {
  const auto program = parse_wgsl(R"(
    struct Item { flag: u32, v: vec3<i64>, w: u64, tail: u32 }
    struct Params { first: i64, pairs: array<vec2<u64>, 2> }
    @group(0) @binding(0) var<uniform> params: Params;
    @group(0) @binding(1) var<storage, read_write> items: array<Item>;
    var<workgroup> shared_sums: array<i64, 4>;
    var<private> kept: vec3<i64>;

    fn add_to(place: ptr<private, vec3<i64>>, value: vec3<i64>) -> i64 {
      *place += value;
      return (*place).z;
    }

    @compute @workgroup_size(4)
    fn main(@builtin(local_invocation_index) i: u32) {
      var local: array<u64, 5>;
      for (var n = 0li; n < 5li; n += 1li) {
        local[u32(n)] = params.pairs[u32(n) & 1u].y * u64(n);
      }
      kept = vec3<i64>(params.first);
      let z = add_to(&kept, items[i].v.zyx);
      shared_sums[3u - i] = z;
      workgroupBarrier();
      items[i].w = local[i + 1u] + u64(shared_sums[i]);
      items[i].v.y = kept.x;
      items[i].tail = items[i].flag + u32(kept.y >> 32u);
    })");
  ASSERT_OK(program);
  // first at 0, pairs at 16; an item: flag at 0, v at 32, w at 56, tail at 64, 96 bytes in all.
  const Wide params = {1LL << 40, 0, 11, 1LL << 33, 12, 1LL << 34};
  constexpr std::size_t kWords = 12;
  Wide items(4 * kWords);
  Wide expected(4 * kWords);
  const auto v = [](std::int64_t i, std::int64_t c) { return (i + 1) << (33 + c); };
  for (std::size_t at = 0; at < 4; ++at) {
    const auto i = static_cast<std::int64_t>(at);
    std::int64_t* const item = &items[at * kWords];
    item[0] = 100 + i;
    for (std::int64_t c = 0; c < 3; ++c)
      item[4 + c] = v(i, c);
    std::int64_t* const wanted = &expected[at * kWords];
    std::copy_n(item, kWords, wanted);
    const std::int64_t sum = (1LL << 40) + v(3 - i, 0);
    wanted[5] = (1LL << 40) + v(i, 2);
    wanted[7] = (i + 1) * (i % 2 == 0 ? 1LL << 34 : 1LL << 33) + sum;
    wanted[8] = 100 + i + 256 + ((i + 1) << 2);
  }
  const auto outputs =
      device().dispatch(*program, {{"params", bits_of(params)}, {"items", bits_of(items)}});
  if (!device().info().has(Capability::int64)) {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
    return;
  }
  ASSERT_OK(outputs);
  const auto bytes = outputs->bytes("items");
  Wide got(bytes.size() / sizeof(std::int64_t));
  std::memcpy(got.data(), bytes.data(), bytes.size());
  EXPECT_EQ(got, expected);
}

TEST_P(DispatchWideIntegers, AreAtomicOnTheCpu) {
  const auto program = parse_wgsl(R"(
    struct Cells { count: atomic<u32>, low: atomic<i64>, turns: atomic<u64> }
    @group(0) @binding(0) var<storage, read_write> cells: Cells;
    @group(0) @binding(1) var<storage, read_write> out: array<i64, 10>;
    @compute @workgroup_size(1) fn main() {
      out[0] = atomicAdd(&cells.low, 5li);
      out[1] = atomicSub(&cells.low, 4294967301li);
      out[2] = atomicMin(&cells.low, -4294967300li);
      out[3] = atomicMax(&cells.low, 9li);
      out[4] = i64(atomicExchange(&cells.turns, 1lu << 63u));
      let missed = atomicCompareExchangeWeak(&cells.turns, 1lu, 2lu);
      out[5] = i64(missed.old_value) + select(0li, 1li, missed.exchanged);
      let met = atomicCompareExchangeWeak(&cells.turns, 1lu << 63u, 3lu << 33u);
      out[6] = i64(met.old_value) + select(0li, 1li, met.exchanged);
      atomicOr(&cells.turns, 7lu);
      out[7] = i64(atomicMin(&cells.turns, 1lu << 63u));
      atomicStore(&cells.low, -1li);
      out[8] = i64(atomicLoad(&cells.turns));
      out[9] = atomicAnd(&cells.low, 255li) ^ i64(atomicXor(&cells.turns, 1lu));
    })");
  ASSERT_OK(program);
  const DispatchOptions once = {.grid = std::array<std::uint32_t, 3>{1, 1, 1}};
  const auto outputs = device().dispatch(*program, {}, once);
  if (!is_cpu()) {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability",
                   device().info().has(Capability::int64) ? "atomics of 64 bits" : "int64");
    return;
  }
  ASSERT_OK(outputs);
  const std::int64_t turned = (3LL << 33) | 7;
  EXPECT_EQ(to_vector(outputs->as<std::int64_t>("out")),
            (Wide{0, 5, -4294967296, -4294967300, 0, kMin, kMin + 1, turned, turned, -1 ^ turned}));
}

TEST_P(DispatchWideIntegers, GoThroughASubgroupWhole) {
  if (!device().info().has(Capability::subgroups)) return;
  // Invocations 0 and 1 are of one subgroup on every device.
  const auto program = parse_wgsl(R"(
    @group(0) @binding(0) var<storage, read_write> out: array<i64, 12>;
    @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) i: u32) {
      let v = (i64(i) * 2li - 1li) * 4294967301li;
      out[i] = subgroupAdd(v + 5li);
      out[2u + i] = i64(subgroupMax(u64(v)));
      out[4u + i] = subgroupMin(v);
      out[6u + i] = subgroupXor(v);
      out[8u + i] = subgroupShuffleXor(v, 1u);
      out[10u + i] = subgroupExclusiveMul(v);
    })");
  ASSERT_OK(program);
  const auto outputs = device().dispatch(*program, {});
  if (!device().info().has(Capability::int64)) {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
    return;
  }
  ASSERT_OK(outputs);
  constexpr std::int64_t kFar = 4294967301;
  EXPECT_EQ(to_vector(outputs->as<std::int64_t>("out")),
            (Wide{10, 10, -kFar, -kFar, -kFar, -kFar, -kFar ^ kFar, -kFar ^ kFar, kFar, -kFar, 1,
                  -kFar}));
}

TEST_P(DispatchWideIntegers, AreValuesOfTheBuilder) {
  Builder b("wide", {.workgroup = 8});
  auto x = b.in_out<std::int64_t>("x");
  auto scale = b.uniform<std::uint64_t>("scale");
  auto turned = b.workgroup<std::uint64_t>("turned", 8);
  auto parts = b.local<std::int64_t>("parts", 2);
  const Value i = b.local_index();
  const Value value = x[b.global_id()];
  turned[7u - i] = bitcast<std::uint64_t>(value) * scale + 3;
  b.workgroup_barrier();
  parts[i & 1u] = value + std::int64_t{1} - 4294967296;
  auto sum = b.var(bitcast<std::int64_t>(turned[i]));
  b.if_(parts[i & 1u] < 0, [&] { sum += ops::max(parts[i & 1u], std::int64_t{-9}); });
  x[b.global_id()] = sum;
  const auto program = b.build();
  ASSERT_OK(program);
  const Wide input = {0, 1, -1, kMax, kMin, 4294967295, 4294967296, 77};
  const std::uint64_t factor = 0x100000001;
  const auto outputs = device().dispatch(*program, {Input("x", input), Input("scale", factor)});
  if (!device().info().has(Capability::int64)) {
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "needs-capability", "int64");
    return;
  }
  ASSERT_OK(outputs);
  Wide expected;
  for (std::size_t n = 0; n < 8; ++n) {
    const auto other = number(bits(input[7 - n]) * factor + 3);
    const auto part = number(bits(input[n]) + 1 - 4294967296);
    const std::int64_t more = part < 0 ? std::max<std::int64_t>(part, -9) : 0;
    expected.push_back(number(bits(other) + bits(more)));
  }
  EXPECT_EQ(to_vector(outputs->as<std::int64_t>("x")), expected);
}

INSTANTIATE_ON_DEVICES(DispatchWideIntegers);

}  // namespace
}  // namespace vyre::test
