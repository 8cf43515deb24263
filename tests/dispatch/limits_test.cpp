// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "vyre/emit.h"
#include "vyre/wgsl.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"
#include "support/process.h"

// What is at a limit works, what is beyond is refused with the numbers before anything is
// submitted.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class DeviceLimits : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) submissions_ = device().stats().submissions;
  }
  [[nodiscard]] Limits limits() const { return device().info().limits; }
  [[nodiscard]] bool nothing_was_submitted() const {
    return device().stats().submissions == submissions_;
  }

 private:
  std::uint64_t submissions_ = 0;
};

// ------------------------------------------------------------------------------------ workgroups

/// out[0] = the number of invocations that ran.
Result<ValidProgram> count_kernel(KernelOptions::Size workgroup) {
  Builder b("count", {.workgroup = workgroup});
  auto out = b.atomics("out", Access::output, ScalarType::u32, 1);
  out[0].atomic_add(1u);
  return b.build();
}

TEST_P(DeviceLimits, WorkgroupsBeyondAnAxisAreRefused) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    const std::uint32_t limit = limits().workgroup_size[axis];
    size[axis] = limit + 1;
    const auto program = count_kernel({size[0], size[1], size[2]});
    if (!program) continue;  // beyond what any device has
    const auto outputs = device().dispatch(*program, {}, {.grid = {{1, 1, 1}}});
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().kind(), ErrorKind::unsupported) << outputs.error().to_string();
    EXPECT_NE(outputs.error().message().find(std::to_string(limit + 1)), std::string::npos)
        << outputs.error().message();
  }
  EXPECT_TRUE(nothing_was_submitted());
}

TEST_P(DeviceLimits, WorkgroupsAtTheLimitOfAnAxisRun) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::array<std::uint32_t, 3> size = {1, 1, 1};
    size[axis] = std::min(limits().workgroup_size[axis], limits().workgroup_invocations);
    const auto program = count_kernel({size[0], size[1], size[2]});
    ASSERT_OK(program);
    expect_words(device().dispatch(*program, {}, {.grid = {{3, 1, 1}}}), "out", {3 * size[axis]});
  }
}

TEST_P(DeviceLimits, InvocationsOfAWorkgroupAreLimitedInTotal) {
  const std::uint32_t total = limits().workgroup_invocations;
  const std::uint32_t half = total / 2;
  if (half > limits().workgroup_size[0] || limits().workgroup_size[1] < 3) return;
  const auto fits = count_kernel({half, 2});
  ASSERT_OK(fits);
  expect_words(device().dispatch(*fits, {}, {.grid = {{2, 1, 1}}}), "out", {2 * total});
  const auto beyond = count_kernel({half, 3});
  ASSERT_OK(beyond);
  EXPECT_REFUSED(device().dispatch(*beyond, {}, {.grid = {{1, 1, 1}}}), ErrorKind::unsupported,
                 "device-limit", std::to_string(3 * half));
}

TEST_P(DeviceLimits, WorkgroupMemoryBeyondTheLimitIsRefused) {
  const auto words = static_cast<std::uint32_t>(limits().workgroup_memory / 4);
  for (const std::uint32_t count : {words, words + 1}) {
    Builder b("shared", {.workgroup = 1});
    auto out = b.output<std::uint32_t>("out", 1);
    auto shared = b.workgroup<std::uint32_t>("shared", count);
    shared[count - 1] = 7u;
    b.workgroup_barrier();
    out[0] = shared[count - 1];
    const auto program = b.build();
    ASSERT_OK(program);
    const auto outputs = device().dispatch(*program, {});
    if (count == words) {
      expect_words(outputs, "out", {7});
    } else {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "device-limit", std::to_string(count * 4));
    }
  }
}

// -------------------------------------------------------------------------------- private arrays

/// `count` functions, each with an array of `words` words; main calls them one after the other, or
/// each within the one before it.  out[0] = count.
std::string private_arrays(std::uint32_t count, std::uint32_t words, bool nested) {
  std::string text = "@group(0) @binding(0) var<storage, read_write> out: array<u32, 1>;\n";
  std::string calls;
  for (std::uint32_t i = count; i-- > 0;) {
    const std::string name = "f" + std::to_string(i);
    const bool inner = nested && i + 1 < count;
    text += "fn " + name + "(n: u32) -> u32 { var x: array<u32, " + std::to_string(words) +
            ">; x[n] = 1u; let y = " +
            (inner ? "f" + std::to_string(i + 1) + "(n)" : std::string("0u")) +
            "; return y + x[n + 1u] + x[n]; }\n";
    if (!nested || i == 0) calls += " + " + name + "(n)";
  }
  return text + "@compute @workgroup_size(1) fn main() { let n = out[0]; out[0] = 0u" + calls +
         "; }\n";
}

TEST_P(DeviceLimits, PrivateArraysThatDoNotMeetShare) {
  constexpr std::uint32_t kWords = 128;  // software compilers are slow with more
  const auto program = parse_wgsl(private_arrays(3, kWords, false));
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {}), "out", {3});
  const auto text = emit(*program, "wgsl");
  ASSERT_OK(text);
  const std::size_t first = text->find("array<u32, 128>;");
  ASSERT_NE(first, std::string::npos) << *text;
  EXPECT_EQ(text->find("array<u32, 128>;", first + 1), std::string::npos) << *text;
}

TEST_P(DeviceLimits, PrivateArraysBeyondTheLimitAreRefused) {
  constexpr std::uint32_t kWords = 16384;
  const auto limit = limits().local_memory;
  const auto count = static_cast<std::uint32_t>(limit / (kWords * 4)) + 1;
  const auto program = parse_wgsl(private_arrays(count, kWords, true));
  ASSERT_OK(program);
  const auto refused = device().dispatch(*program, {});
  EXPECT_REFUSED(refused, ErrorKind::unsupported, "device-limit",
                 "needs " + std::to_string(std::uint64_t{count} * kWords * 4) + " bytes");
  EXPECT_REFUSED(refused, ErrorKind::unsupported, "device-limit",
                 "limit is " + std::to_string(limit));
  EXPECT_TRUE(nothing_was_submitted());
}

class PrivateArrays : public DeviceTest {};

/// On the cpu, three arrays of 4,096 bytes that live together, and one of 65,536.
TEST_P(PrivateArrays, MayBeLargeOnTheCpu) {
  if (!is_cpu()) return;
  for (const bool nested : {false, true}) {
    const auto three = parse_wgsl(private_arrays(3, 1024, nested));
    ASSERT_OK(three);
    expect_words(device().dispatch(*three, {}), "out", {3});
  }
  const auto large = parse_wgsl(private_arrays(1, 16384, false));
  ASSERT_OK(large);
  expect_words(device().dispatch(*large, {}), "out", {1});
}

INSTANTIATE_ON_DEVICES(PrivateArrays);

// ----------------------------------------------------------------------------------------- grids

TEST_P(DeviceLimits, GridsWhoseNumbersWrapAreRefused) {
  const auto one = count_kernel(1);
  const auto wide = count_kernel(64);
  ASSERT_OK(one);
  ASSERT_OK(wide);
  const std::uint32_t most = limits().grid;
  using Grid = std::array<std::uint32_t, 3>;
  for (const Grid grid : {Grid{0x10000, 0x10000, 2},
                          {0xffff, 0xffff, 0xffff},
                          {2, 0x80000000, 2},
                          {0xffffffff, 0xffffffff, 0xffffffff}}) {
    const auto outputs = device().dispatch(*one, {}, {.grid = grid});
    ASSERT_FALSE(outputs) << grid[0] << " " << grid[1] << " " << grid[2];
    EXPECT_EQ(outputs.error().code(), "grid-too-large") << outputs.error().to_string();
  }
  EXPECT_REFUSED(device().dispatch(*wide, {}, {.grid = {{0x4000001, 1, 1}}}),
                 ErrorKind::invalid_argument, "grid-too-large", "67108865");
  if (most != ~0u) {
    const std::string rows = std::to_string(std::uint64_t{most} * most);  // of a folded axis
    EXPECT_REFUSED(device().dispatch(*one, {}, {.grid = {{1, ~0u, 1}}}), ErrorKind::unsupported,
                   "grid-too-large", rows);
    EXPECT_REFUSED(device().dispatch(*one, {}, {.grid = {{1, 1, ~0u}}}), ErrorKind::unsupported,
                   "grid-too-large", rows);
    EXPECT_REFUSED(device().dispatch(*one, {}, {.grid = {{most + 1, 1, most + 1}}}),
                   ErrorKind::unsupported, "grid-too-large", std::to_string(most));
  }
  EXPECT_TRUE(nothing_was_submitted());
}

TEST_P(DeviceLimits, CountsThatDoNotFitAreRefused) {
  Builder b("long");
  auto out = b.output<std::uint8_t>("out");
  out[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  for (const std::uint64_t count : {std::uint64_t{1} << 32, ~std::uint64_t{0}})
    EXPECT_REFUSED(device().dispatch(*program, {}, {.counts = {{"out", count}}}),
                   ErrorKind::invalid_argument, "too-many-elements", std::to_string(count));
  EXPECT_TRUE(nothing_was_submitted());
}

// --------------------------------------------------------------------------------------- buffers

/// `count` outputs of a word, and with `traps` an assertion; a long constant table besides.
Result<ValidProgram> many_buffers(std::uint32_t count, bool traps) {
  Builder b("many", {.workgroup = 1});
  std::vector<Memory> outputs;
  for (std::uint32_t n = 0; n < count; ++n)
    outputs.push_back(b.output<std::uint32_t>("b" + std::to_string(n), 1));
  auto table = b.constant("table", ScalarType::u32, counting<std::uint32_t>(1000));
  for (std::uint32_t n = 0; n < count; ++n)
    outputs[n][0] = table[b.global_id() + n + 1u];
  if (traps) b.assert_(b.num_workgroups() == 1u, "one workgroup");
  return b.build();
}

TEST_P(DeviceLimits, StorageBuffersAreCountedWithOurOwn) {
  const std::uint32_t limit = std::min(limits().storage_buffers, 40u);
  for (const std::uint32_t count : {limit - 2, limit - 1, limit}) {
    const auto program = many_buffers(count, true);
    ASSERT_OK(program);
    const auto outputs = device().dispatch(*program, {});
    if (limits().storage_buffers > 42 || count + 2 <= limit) {
      ASSERT_OK(outputs);
      for (std::uint32_t n = 0; n < count; ++n)
        expect_words(outputs, "b" + std::to_string(n), {n + 1});
      continue;
    }
    EXPECT_REFUSED(outputs, ErrorKind::unsupported, "too-many-buffers",
                   "needs " + std::to_string(count + 2) + " storage buffers");
    EXPECT_NE(outputs.error().message().find("the device has " + std::to_string(limit)),
              std::string::npos)
        << outputs.error().message();
    EXPECT_NE(outputs.error().message().find("trap"), std::string::npos);
    EXPECT_NE(outputs.error().message().find("`table`"), std::string::npos)
        << outputs.error().message();
  }
}

TEST_P(DeviceLimits, ABufferBeyondTheBindingLimitIsRefusedWithBothNumbers) {
  const std::uint64_t limit = std::min(limits().storage_binding, limits().buffer_size);
  const std::uint64_t count = limit / 4 + 1;
  if (count > 0xffffffffu) return;
  Builder b("large", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out");
  out[0] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto outputs = device().dispatch(
      *program, {}, {.grid = {{1, 1, 1}}, .counts = {{"out", count}}, .keep_on_device = {"out"}});
  EXPECT_REFUSED(outputs, ErrorKind::unsupported, "buffer-too-large", std::to_string(count * 4));
  EXPECT_NE(outputs.error().message().find(std::to_string(limit)), std::string::npos);
  EXPECT_TRUE(nothing_was_submitted());
}

TEST_P(DeviceLimits, AUniformBeyondItsLimitBecomesStorage) {
  constexpr std::uint32_t kWords = 17500;  // 70,000 bytes
  Builder b("uniform", {.workgroup = 64});
  auto large = b.structure("large", Space::uniform, Access::input,
                           {{"rows", ScalarType::u32, 4, kWords / 4}});
  auto out = b.output<std::uint32_t>("out", kWords);
  const Value i = b.global_id();
  out[i] = large.member("rows")[i / 4u][i % 4u] + 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto words = counting<std::uint32_t>(kWords);
  auto expected = words;
  for (std::uint32_t& word : expected)
    ++word;
  expect_words(device().dispatch(*program, {{"large", words}}), "out", expected);
}

INSTANTIATE_ON_ALL_DEVICES(DeviceLimits);

// ----------------------------------------------------------------------------------- large sizes

class LargeBuffers : public DeviceTest {
 protected:
  /// Bytes of a buffer of which the last element is written: done where the device allows it.
  void check_last_word(std::uint64_t bytes) const {
    const std::uint64_t limit =
        std::min(device().info().limits.storage_binding, device().info().limits.buffer_size);
    Builder b("last", {.workgroup = 1});
    auto x = b.in_out<std::uint32_t>("x");
    x[x.length() - 1u] = x.length();
    const auto program = b.build();
    ASSERT_OK(program);
    const auto buffer = device().allocate(bytes);
    if (bytes > limit && !buffer) {
      EXPECT_REFUSED(buffer, ErrorKind::out_of_memory, "out-of-memory", std::to_string(bytes));
      return;
    }
    ASSERT_OK(buffer);
    const auto outputs = device().dispatch(*program, {{"x", *buffer}}, {.grid = {{1, 1, 1}}});
    if (bytes > limit) {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "buffer-too-large", std::to_string(bytes));
      return;
    }
    ASSERT_OK(outputs);
    Words last(2);
    ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(last)), bytes - 8));
    EXPECT_EQ(last, (Words{0, static_cast<std::uint32_t>(bytes / 4)}));
  }
  void TearDown() override {
    if (!IsSkipped()) device().trim();
  }
};

TEST_P(LargeBuffers, OfHundredsOfMegabytesWorkOrAreRefused) {
  check_last_word(200 * kMegabyte);
  check_last_word(300 * kMegabyte);
}

INSTANTIATE_ON_DEVICES(LargeBuffers);

class LongDispatchLargeBuffers : public LargeBuffers {};

TEST_P(LongDispatchLargeBuffers, OfTwoGigabytesReachTheirLastElement) {
  check_last_word(2100 * std::uint64_t{1000000});
}

TEST_P(LongDispatchLargeBuffers, OfBytesAreIndexedBeyondTheThirtiethBit) {
  const std::uint64_t bytes = (std::uint64_t{1} << 30) + 16;
  Builder b("far", {.workgroup = 1});
  auto x = b.in_out<std::uint8_t>("x");
  auto at = b.uniform<std::uint32_t>("at");
  x[Value(at) + b.global_id()] = 77u;
  const auto program = b.build();
  ASSERT_OK(program);
  const auto buffer = device().allocate(bytes);
  if (!buffer) {
    EXPECT_EQ(buffer.error().kind(), ErrorKind::out_of_memory) << buffer.error().to_string();
    return;
  }
  const auto outputs = device().dispatch(
      *program, {{"x", *buffer}, {"at", (std::uint32_t{1} << 30) + 5}}, {.grid = {{2, 1, 1}}});
  if (!outputs && bytes > device().info().limits.storage_binding) {
    EXPECT_EQ(outputs.error().code(), "buffer-too-large") << outputs.error().to_string();
    return;
  }
  ASSERT_OK(outputs);
  std::vector<std::uint8_t> end(16);
  ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(end)), bytes - 16));
  std::vector<std::uint8_t> expected(16);
  expected[5] = expected[6] = 77;
  EXPECT_EQ(end, expected);
}

INSTANTIATE_ON_DEVICES(LongDispatchLargeBuffers);

}  // namespace
}  // namespace vyre::test
