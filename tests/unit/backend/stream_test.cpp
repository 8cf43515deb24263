// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>

#include "vyre/builder.h"

#include "backend/device.h"
#include "backend/null/null.h"
#include "support/check_result.h"
#include "support/injecting_driver.h"

// Transfers larger than a chunk go through a ring of small blocks, and lose and add no byte.
namespace vyre {
namespace {

using test::Fault;
using test::FaultPlan;
using test::InjectingDriver;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kChunk = 65536;

Bytes noise(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

class Streams : public testing::Test {
 protected:
  Streams() {
    const auto make = [plan = plan_]() -> Result<std::unique_ptr<Driver>> {
      return std::unique_ptr<Driver>(new InjectingDriver(null::make_driver(), plan));
    };
    auto impl = DeviceImpl::make(*make(), make, {.chunk_bytes = kChunk});
    EXPECT_TRUE(impl);
    device_ = std::make_unique<Device>(make_device(*std::move(impl)));
  }

  /// Up and down again; what came down, or the error.
  Result<Bytes> there_and_back(const Buffer& buffer, std::uint64_t offset, const Bytes& bytes) {
    VYRE_CHECK_OK(buffer.upload(std::as_bytes(std::span(bytes)), offset));
    Bytes back(bytes.size());
    VYRE_CHECK_OK(buffer.download(std::as_writable_bytes(std::span(back)), offset));
    return back;
  }

  std::shared_ptr<FaultPlan> plan_ = std::make_shared<FaultPlan>();
  std::unique_ptr<Device> device_;
};

TEST_F(Streams, RangesOfAnyAlignmentAroundChunksAreExact) {
  const std::uint64_t size = 10 * kChunk + 11;
  const auto buffer = device_->allocate(size);
  ASSERT_OK(buffer);
  Bytes mirror(size);
  for (const std::uint64_t offset : {0u, 1u, 2u, 3u, 4u, 7u})
    for (const std::int64_t around : {-5, -4, -3, -1, 0, 1, 2, 4, 5})
      for (const std::uint64_t chunks : {1u, 2u, 4u, 5u, 9u}) {
        const auto length =
            static_cast<std::size_t>(static_cast<std::int64_t>(chunks * kChunk) + around);
        const Bytes bytes = noise(length);
        const auto back = there_and_back(*buffer, offset, bytes);
        ASSERT_OK(back);
        ASSERT_EQ(*back, bytes) << length << " bytes at " << offset;
        std::copy(bytes.begin(), bytes.end(), mirror.begin() + static_cast<std::ptrdiff_t>(offset));
      }
  Bytes all(size);
  ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(all))));
  EXPECT_TRUE(all == mirror);
}

TEST_F(Streams, MappedMemoryStaysSmall) {
  const auto buffer = device_->allocate(64 * kChunk);
  ASSERT_OK(buffer);
  const std::uint64_t before = device_->stats().allocations;
  const Bytes bytes = noise(64 * kChunk);
  const auto back = there_and_back(*buffer, 0, bytes);
  ASSERT_OK(back);
  EXPECT_TRUE(*back == bytes);
  EXPECT_LE(device_->stats().allocations - before, 8u);
  EXPECT_LE(device_->stats().idle_bytes, 16 * kChunk);
}

/// Bytes that a kernel reads and writes go up in chunks; the rest of the buffer is zero.
TEST_F(Streams, InputsOfADispatchAreStreamed) {
  Builder b("none", {.workgroup = 64});
  auto data = b.in_out<std::uint8_t>("data", 20 * kChunk);
  b.if_(b.global_id() == 0u, [&] { data[0u] = 0u; });
  const auto program = *b.build();
  const Bytes bytes = noise(9 * kChunk + 3);
  for (int round = 0; round < 2; ++round) {  // recycled memory too
    const std::uint64_t submissions = device_->stats().submissions;
    const auto outputs = device_->dispatch(program, {{"data", bytes}});
    ASSERT_OK(outputs);
    EXPECT_EQ(device_->stats().submissions - submissions, 1u);
    const auto back = outputs->as<std::uint8_t>("data");
    ASSERT_EQ(back.size(), 20 * kChunk);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), back.begin()));
    EXPECT_TRUE(std::all_of(back.begin() + static_cast<std::ptrdiff_t>(bytes.size()), back.end(),
                            [](std::uint8_t byte) { return byte == 0; }));
  }
}

TEST_F(Streams, EveryCallMayFail) {
  const Bytes bytes = noise(7 * kChunk);
  const auto buffer = device_->allocate(bytes.size());
  ASSERT_OK(buffer);
  for (const Fault fault : {Fault::allocate, Fault::submit, Fault::map})
    for (int n = 0;; ++n) {
      ASSERT_LT(n, 100);
      device_->trim();
      const std::uint64_t lent = device_->stats().live_bytes;
      plan_->arm(fault, n);
      const auto back = there_and_back(*buffer, 1, Bytes(bytes.begin() + 1, bytes.end()));
      const bool fired = plan_->fired != 0;
      plan_->disarm();
      EXPECT_EQ(device_->stats().live_bytes, lent) << "call " << n;
      EXPECT_OK(there_and_back(*buffer, 0, bytes));
      if (fired) continue;
      EXPECT_OK(back);
      break;
    }
}

}  // namespace
}  // namespace vyre
