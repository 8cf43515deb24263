// SPDX-License-Identifier: MIT OR Apache-2.0
#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "vyre/builder.h"
#include "vyre/device.h"
#include "vyre/sequence.h"

#include "support/check_result.h"

// Once its memory has grown, a dispatch makes no heap allocation: the global allocator counts.
namespace {

std::atomic<std::uint64_t> g_allocations = 0;

void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  g_allocations.fetch_add(1, std::memory_order_relaxed);
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + alignment - 1) / alignment;
  return std::aligned_alloc(alignment, rounded * alignment);
}

}  // namespace

// NOLINTBEGIN(misc-new-delete-overloads): all that the standard has
void* operator new(std::size_t size) {
  return counted(size);
}
void* operator new[](std::size_t size) {
  return counted(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return counted(size);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
// NOLINTEND(misc-new-delete-overloads)

namespace vyre {
namespace {

using Floats = std::vector<float>;

/// Four buffers: two read, one read and written, one written, and a trap record.
ValidProgram four_buffers() {
  Builder b("four", {.workgroup = 64});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  auto a = b.uniform<float>("a");
  auto z = b.output<float>("z");
  z.same_length_as(x);
  auto i = b.global_id();
  b.if_(i < y.length(), [&] {
    b.assert_(x[i] >= 0.0f, "negative");
    y[i] = a * x[i] + y[i];
    z[i] = y[i] * 2.0f;
  });
  return *b.build();
}

class SteadyState : public testing::Test {
 protected:
  /// Allocations of `count` runs of `dispatch`, after it has run often enough to have grown.
  template <typename F>
  std::uint64_t allocations(int count, F&& dispatch) {
    for (int i = 0; i < 100; ++i)
      dispatch();
    const std::uint64_t before = g_allocations.load();
    for (int i = 0; i < count; ++i)
      dispatch();
    return g_allocations.load() - before;
  }

  Device device_ = *open("null");
  ValidProgram program_ = four_buffers();
  Floats x_ = Floats(1000, 1.0f);
  float a_ = 2.0f;
  int failures_ = 0;
};

TEST_F(SteadyState, TheAllocatorCounts) {
  EXPECT_EQ(allocations(3, [] { Floats(1000, 1.0f); }), 3u);
}

TEST_F(SteadyState, DispatchOfHostBytesAllocatesNothing) {
  const Input inputs[] = {{"x", x_}, {"y", x_}, {"a", a_}};
  EXPECT_EQ(allocations(1000,
                        [&] {
                          const auto out = device_.dispatch(program_, std::span(inputs));
                          if (!out || out->as<float>("z").size() != 1000) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

TEST_F(SteadyState, PositionalInputsAndOptionsAllocateNothing) {
  const Input inputs[] = {Input(x_), Input(x_), Input(std::span(&a_, 1))};
  const DispatchOptions options = {.grid = std::array<std::uint32_t, 3>{16, 1, 1},
                                   .counts = {{"z", 1000}},
                                   .repeat = 3,
                                   .keep_on_device = {"y"},
                                   .label = "a label that is too long to be held in place"};
  EXPECT_EQ(allocations(1000,
                        [&] {
                          const auto out = device_.dispatch(program_, std::span(inputs), options);
                          if (!out || out->size() != 1) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

TEST_F(SteadyState, ResidentBuffersAllocateNothing) {
  const auto x = device_.allocate(4000);
  const auto y = device_.allocate(4000);
  ASSERT_OK(x);
  ASSERT_OK(y);
  const Input inputs[] = {{"x", *x}, {"y", *y}, {"a", a_}};
  EXPECT_EQ(allocations(1000,
                        [&] {
                          const auto out = device_.dispatch(program_, std::span(inputs));
                          if (!out) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

TEST_F(SteadyState, IndirectGridsAllocateNothing) {
  const Input inputs[] = {{"x", x_}, {"y", x_}, {"a", a_}};
  const DispatchOptions options = {.indirect = IndirectGrid{"x", 400}, .repeat = 2};
  EXPECT_EQ(allocations(1000,
                        [&] {
                          const auto out = device_.dispatch(program_, std::span(inputs), options);
                          if (!out || out->as<float>("z").size() != 1000) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

TEST_F(SteadyState, ReplaysAllocateNothing) {
  const auto x = device_.allocate(4000);
  const auto y = device_.allocate(4000);
  const auto z = device_.allocate(4000);
  ASSERT_OK(x);
  ASSERT_OK(y);
  ASSERT_OK(z);
  Sequence sequence(device_);
  for (int i = 0; i < 10; ++i)
    ASSERT_OK(sequence.add(program_, {{"x", *x}, {"y", *y}, {"z", *z}, {"a", a_}}));
  ASSERT_OK(sequence.read("y", *y));
  EXPECT_EQ(allocations(1000,
                        [&] {
                          const auto out = sequence.run();
                          if (!out || out->bytes("y").size() != 4000) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

TEST_F(SteadyState, SeveralPendingAndManyProgramsAllocateNothing) {
  std::vector<ValidProgram> programs;
  for (std::uint32_t i = 0; i < 20; ++i) {
    Builder b("one", {.workgroup = 64});
    auto y = b.in_out<float>("y");
    y[b.global_id()] = static_cast<float>(i);
    programs.push_back(*b.build());
  }
  const Input input = {"y", x_};
  EXPECT_EQ(allocations(100,
                        [&] {
                          std::optional<Pending> pending[20];
                          for (std::size_t i = 0; i < 20; ++i)
                            if (auto one = device_.submit(programs[i], std::span(&input, 1)))
                              pending[i] = *std::move(one);
                          for (const auto& one : pending)
                            if (!one || !one->wait()) ++failures_;
                        }),
            0u);
  EXPECT_EQ(failures_, 0);
}

}  // namespace
}  // namespace vyre
