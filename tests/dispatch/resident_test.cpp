// SPDX-License-Identifier: MIT OR Apache-2.0
#include <array>
#include <cstring>
#include <optional>

#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Resident buffers and staged memory: ranges, order, owners.
namespace vyre::test {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

template <typename T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

class Resident : public DeviceTest {
 protected:
  [[nodiscard]] Buffer make(std::uint64_t size) const {
    auto buffer = device().allocate(size);
    EXPECT_OK(buffer);
    return *std::move(buffer);
  }
  [[nodiscard]] Buffer make(const Bytes& bytes) const {
    const Buffer buffer = make(bytes.size());
    EXPECT_OK(buffer.upload(bytes_of(bytes)));
    return buffer;
  }
  [[nodiscard]] static Bytes read(const Buffer& buffer, std::uint64_t offset, std::uint64_t size) {
    Bytes bytes(size, 0xee);
    EXPECT_OK(buffer.download(std::as_writable_bytes(std::span(bytes)), offset));
    return bytes;
  }
};

TEST_P(Resident, BuffersStartAsZerosAlsoInRecycledMemory) {
  for (int round = 0; round < 3; ++round) {
    const Buffer buffer = make(std::uint64_t{1001});
    EXPECT_EQ(read(buffer, 0, 1001), Bytes(1001));
    ASSERT_OK(buffer.upload(bytes_of(Bytes(1001, 0xff))));
  }
}

TEST_P(Resident, AnyRangeGoesUpAndComesDownExactly) {
  Bytes model(64);
  for (std::size_t i = 0; i < model.size(); ++i)
    model[i] = static_cast<std::uint8_t>(i);
  const Buffer buffer = make(model);
  std::uint8_t next = 100;
  for (const std::size_t offset : {0u, 1u, 2u, 3u, 4u, 7u, 61u, 63u})
    for (const std::size_t size : {0u, 1u, 2u, 3u, 4u, 5u, 8u, 13u}) {
      if (offset + size > model.size()) continue;
      const Bytes piece(size, next++);
      ASSERT_OK(buffer.upload(bytes_of(piece), offset));
      std::copy(piece.begin(), piece.end(), model.begin() + static_cast<std::ptrdiff_t>(offset));
      EXPECT_EQ(read(buffer, offset, size), piece) << size << " bytes at " << offset;
      ASSERT_EQ(read(buffer, 0, 64), model) << size << " bytes at " << offset;
    }
}

TEST_P(Resident, ABufferOfAnOddSizeIsWrittenToItsLastByte) {
  for (const std::size_t size : {1u, 2u, 3u, 5u, 31u}) {
    const Buffer buffer = make(Bytes(size, 7));
    const Bytes last = {9};
    ASSERT_OK(buffer.upload(bytes_of(last), size - 1));
    Bytes expected(size, 7);
    expected.back() = 9;
    EXPECT_EQ(read(buffer, 0, size), expected);
  }
}

TEST_P(Resident, AnEmptyBufferIsLegal) {
  const Buffer buffer = make(std::uint64_t{0});
  EXPECT_EQ(buffer.size(), 0u);
  EXPECT_OK(buffer.upload(std::span<const std::byte>{}));
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  expect_words(device().dispatch(*program, {{"in", buffer}}), "out", {});
}

TEST_P(Resident, ARangeBeyondTheEndIsNamedAndTouchesNothing) {
  const Buffer buffer = make(Bytes{1, 2, 3, 4, 5, 6, 7, 8});
  const auto kind = ErrorKind::invalid_argument;
  const Bytes three(3, 0xff);
  EXPECT_REFUSED(buffer.upload(bytes_of(three), 6), kind, "buffer-range", "[6..9)");
  EXPECT_REFUSED(buffer.upload(bytes_of(three), ~std::uint64_t{0}), kind, "buffer-range",
                 "[18446744073709551615..18446744073709551615)");
  Bytes mine(3, 0xee);
  EXPECT_REFUSED(buffer.download(std::as_writable_bytes(std::span(mine)), 6), kind, "buffer-range",
                 "[6..9)");
  EXPECT_EQ(mine, Bytes(3, 0xee));
  EXPECT_EQ(read(buffer, 0, 8), (Bytes{1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_P(Resident, ManyRangesAreCheckedBeforeAnyIsTouched) {
  const Buffer buffer = make(Bytes(12, 1));
  const Bytes two = {8, 9};
  const std::array<Buffer::Upload, 3> bad_up = {
      Buffer::Upload{0, bytes_of(two)}, {5, bytes_of(two)}, {11, bytes_of(two)}};
  EXPECT_REFUSED(buffer.upload(bad_up), ErrorKind::invalid_argument, "buffer-range", "[11..13)");
  EXPECT_EQ(read(buffer, 0, 12), Bytes(12, 1));
  EXPECT_OK(buffer.upload(std::span(bad_up).first(2)));
  EXPECT_EQ(read(buffer, 0, 12), (Bytes{8, 9, 1, 1, 1, 8, 9, 1, 1, 1, 1, 1}));

  Bytes first(2, 0xee);
  Bytes second(2, 0xee);
  const std::array<Buffer::Download, 2> bad_down = {
      Buffer::Download{5, std::as_writable_bytes(std::span(first))},
      {100, std::as_writable_bytes(std::span(second))}};
  EXPECT_REFUSED(buffer.download(bad_down), ErrorKind::invalid_argument, "buffer-range", "[100");
  EXPECT_EQ(first, Bytes(2, 0xee));
  EXPECT_OK(buffer.download(std::span(bad_down).first(1)));
  EXPECT_EQ(first, two);
}

TEST_P(Resident, RangesOfOneCallMayShareAWord) {
  const Buffer buffer = make(Bytes(8, 1));
  const Bytes one = {5};
  const Bytes two = {6, 7};
  const std::array<Buffer::Upload, 3> ranges = {
      Buffer::Upload{0, bytes_of(one)}, {1, bytes_of(two)}, {3, bytes_of(two)}};
  ASSERT_OK(buffer.upload(ranges));
  EXPECT_EQ(read(buffer, 0, 8), (Bytes{5, 6, 7, 6, 7, 1, 1, 1}));
}

TEST_P(Resident, EachDispatchSeesWhatWasUploadedBeforeIt) {
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const Buffer buffer = make(std::uint64_t{4096});
  std::vector<Pending> pending;
  for (std::uint32_t round = 0; round < 10; ++round) {
    ASSERT_OK(buffer.upload(bytes_of(Words(1024, round))));
    auto one = device().submit(*program, {{"in", buffer}});
    ASSERT_OK(one);
    pending.push_back(*std::move(one));
  }
  for (std::uint32_t round = 0; round < 10; ++round)
    expect_words(pending[round].wait(), "out", Words(1024, round));
}

TEST_P(Resident, DispatchesFollowEachOtherInOneBuffer) {
  const auto program = add_kernel();
  ASSERT_OK(program);
  const Buffer buffer = make(std::uint64_t{400});
  for (std::uint32_t round = 0; round < 20; ++round)
    ASSERT_OK(device().submit(*program, {{"x", buffer}, {"by", round}}));
  const auto last = device().dispatch(*program, {{"x", buffer}, {"by", 1u}}, {.repeat = 2048});
  ASSERT_OK(last);
  EXPECT_EQ(last->size(), 0u) << "resident buffers are not read back";
  if (!computes()) return;
  Words words(100);
  ASSERT_OK(buffer.download(std::as_writable_bytes(std::span(words))));
  EXPECT_EQ(words, Words(100, 190 + 2048));
}

/// The device works on the memory long after the last handle is gone.
TEST_P(Resident, ABufferMayBeDroppedWhileADispatchUsesIt) {
  Builder b("slow_copy");
  auto in = b.input<std::uint32_t>("in");
  auto out = b.output<std::uint32_t>("out");
  out.same_length_as(in);
  const Value i = b.global_id();
  auto x = b.var(Value(0u));
  b.for_(0u, 100u, [&](const Value&) { x = x.get() + in[i]; });
  out[i] = x.get();
  const auto program = b.build();
  ASSERT_OK(program);
  for (int round = 0; round < 3; ++round) {
    const std::size_t count = std::size_t{256} << 10;  // beyond what an allocator keeps
    std::optional<Buffer> buffer = make(std::uint64_t{count * 4});
    ASSERT_OK(buffer->upload(bytes_of(Words(count, 3))));
    const auto pending = device().submit(*program, {{"in", *buffer}});
    ASSERT_OK(pending);
    buffer.reset();
    device().trim();
    const Buffer other = make(std::uint64_t{count * 4});
    ASSERT_OK(other.upload(bytes_of(Words(count, 0xffffffff))));
    expect_words(pending->wait(), "out", Words(count, 300));
  }
}

TEST_P(Resident, OneBufferUnderTwoNamesIsRefusedWhereOneIsWritten) {
  Builder b("twice");
  auto x = b.input<std::uint32_t>("x");
  auto y = b.input<std::uint32_t>("y");
  auto z = b.in_out<std::uint32_t>("z");
  const Value i = b.global_id();
  z[i] = x[i] + y[i];
  const auto program = b.build();
  ASSERT_OK(program);
  const Buffer one = make(Bytes(16, 1));
  const Buffer two = make(std::uint64_t{16});
  const auto refused = device().dispatch(*program, {{"x", two}, {"y", one}, {"z", two}});
  EXPECT_REFUSED(refused, ErrorKind::invalid_argument, "aliased-buffer", "`x`");
  EXPECT_NE(refused.error().message().find("`z`"), std::string::npos);
  ASSERT_OK(device().dispatch(*program, {{"x", one}, {"y", one}, {"z", two}}));
  if (computes()) {
    EXPECT_EQ(read(two, 0, 16), Bytes(16, 2));
  }
}

TEST_P(Resident, ABufferThatIsTooSmallIsRefused) {
  Builder b("fixed");
  auto x = b.in_out<std::uint32_t>("x", 4);
  x[b.global_id()] = 1u;
  const auto program = b.build();
  ASSERT_OK(program);
  EXPECT_REFUSED(device().dispatch(*program, {{"x", make(std::uint64_t{12})}}),
                 ErrorKind::invalid_argument, "buffer-too-small", "12");
}

TEST_P(Resident, MemoryOfAnotherDeviceIsRefused) {
  const auto other = open("null");
  ASSERT_OK(other);
  const auto program = copy_kernel<std::uint32_t>();
  ASSERT_OK(program);
  const auto buffer = other->allocate(16);
  ASSERT_OK(buffer);
  EXPECT_REFUSED(device().dispatch(*program, {{"in", *buffer}}), ErrorKind::invalid_argument,
                 "wrong-device", "`in`");
  const auto staged = other->stage<std::uint32_t>(4);
  ASSERT_OK(staged);
  EXPECT_REFUSED(device().dispatch(*program, {{"in", *staged}}), ErrorKind::invalid_argument,
                 "wrong-device", "`in`");
}

TEST_P(Resident, StagedMemoryIsAnInputOfAnySize) {
  const auto program = copy_kernel<std::uint8_t>();
  ASSERT_OK(program);
  for (const std::size_t size : {0u, 1u, 5u, 4096u, 100001u}) {
    const auto staged = device().stage<std::uint8_t>(size);
    ASSERT_OK(staged);
    ASSERT_EQ(staged->size(), size);
    const Bytes bytes(size, static_cast<std::uint8_t>(size + 3));
    if (size != 0) std::memcpy(staged->data(), bytes.data(), size);
    const auto outputs = device().dispatch(*program, {{"in", *staged}});
    ASSERT_OK(outputs);
    EXPECT_EQ(outputs->bytes("out").size(), size);
    if (computes()) {
      EXPECT_EQ(to_vector(outputs->as<std::uint8_t>("out")), bytes);
    }
    EXPECT_TRUE(staged->bytes().empty()) << "a dispatch consumes it";
  }
}

/// Around the sizes at which transfers go in pieces.
TEST_P(Resident, ManyMegabytesGoUpAndComeDownExactly) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  const Buffer buffer = make(std::uint64_t{3 * kPiece + 64});
  std::uint8_t seed = 1;
  for (const std::size_t size : {kPiece - 1, kPiece, kPiece + 1, kPiece + 4, 3 * kPiece + 5})
    for (const std::size_t offset : {0u, 3u, 32u}) {
      Bytes bytes(size);
      ++seed;
      for (std::size_t i = 0; i < size; i += 997)
        bytes[i] = static_cast<std::uint8_t>(i / 997 * seed);
      bytes.back() = seed;
      ASSERT_OK(buffer.upload(bytes_of(bytes), offset));
      ASSERT_TRUE(read(buffer, offset, size) == bytes) << size << " bytes at " << offset;
    }
}

TEST_P(Resident, InputsOfManyMegabytesArriveWhole) {
  const auto program = copy_kernel<std::uint8_t>();
  ASSERT_OK(program);
  for (const std::size_t size : {(std::size_t{4} << 20) + 1, (std::size_t{9} << 20) + 3}) {
    Bytes bytes(size, 5);
    bytes[size / 2] = 6;
    bytes.back() = 7;
    const auto outputs = device().dispatch(*program, {{"in", bytes}});
    ASSERT_OK(outputs);
    ASSERT_EQ(outputs->bytes("out").size(), size);
    if (computes()) {
      EXPECT_TRUE(to_vector(outputs->as<std::uint8_t>("out")) == bytes) << size;
    }
  }
}

INSTANTIATE_ON_ALL_DEVICES(Resident);

}  // namespace
}  // namespace vyre::test
