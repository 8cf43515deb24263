// SPDX-License-Identifier: MIT OR Apache-2.0
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/emit.h"
#include "vyre/sequence.h"

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// Handles that hold nothing any more, that go while they are in use, or whose device changes.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// Moves the handle away, and gives what is left of it.
template <typename T>
T& emptied(T& handle) {
  [[maybe_unused]] const T taken = std::move(handle);
  return handle;
}

#define EXPECT_EMPTY(call) \
  EXPECT_REFUSED(call, ErrorKind::invalid_argument, "empty-handle", "moved from")

class Handles : public DeviceTest {
 protected:
  const ValidProgram copy_ = *copy_kernel<std::uint32_t>();
  const Words words_ = {1, 2, 3};
};

TEST_P(Handles, OfADeviceThatWereMovedFromAreErrors) {
  Device copy = device();
  const Device& none = emptied(copy);
  const Input input("in", words_);
  EXPECT_EMPTY(none.dispatch(copy_, {input}));
  EXPECT_EMPTY(none.submit(copy_, {input}));
  EXPECT_EMPTY(none.prepare(copy_));
  EXPECT_EMPTY(none.allocate(16));
  EXPECT_EMPTY(none.stage<float>(16));
  EXPECT_EMPTY(none.recover());
  const BatchJob jobs[] = {{copy_, {input}}, {copy_, {input}}};
  const auto batch = none.submit_batch(jobs);
  ASSERT_EQ(batch.size(), 2u);
  EXPECT_EMPTY(batch[1]);
  none.trim();
  EXPECT_EQ(none.stats().submissions, 0u);
  EXPECT_EQ(none.info().name, "");
  Sequence sequence(none);
  EXPECT_EMPTY(sequence.add(copy_, {input}));
}

TEST_P(Handles, OfABufferThatWereMovedFromAreErrors) {
  auto buffer = device().allocate(16);
  ASSERT_OK(buffer);
  const Buffer& none = emptied(*buffer);
  EXPECT_EQ(none.size(), 0u);
  Words words(4);
  EXPECT_EMPTY(none.upload(std::as_bytes(std::span(words))));
  EXPECT_EMPTY(none.download(std::as_writable_bytes(std::span(words))));
  EXPECT_EMPTY(device().dispatch(copy_, {{"in", none}}));
  const BatchJob jobs[] = {{copy_, {{"in", none}}}, {copy_, {{"in", words_}}}};
  const auto batch = device().submit_batch(jobs);
  EXPECT_EMPTY(batch[0]);
  ASSERT_OK(batch[1]);
  expect_words(batch[1]->wait(), "out", words_);
  Sequence sequence(device());
  EXPECT_EMPTY(sequence.add(copy_, {{"in", none}}));
  EXPECT_EMPTY(sequence.read("none", none));
}

TEST_P(Handles, OfStagedMemoryThatWereMovedFromAreErrors) {
  auto staged = device().stage<std::uint32_t>(4);
  ASSERT_OK(staged);
  const Staged<std::uint32_t>& none = emptied(*staged);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_REFUSED(device().dispatch(copy_, {{"in", none}}), ErrorKind::invalid_argument,
                 "staged-consumed", "`in`");
}

TEST_P(Handles, OfResultsThatWereMovedFromAreErrorsOrHoldNothing) {
  auto pending = device().submit(copy_, {{"in", words_}});
  ASSERT_OK(pending);
  auto outputs = pending->wait();
  ASSERT_OK(outputs);
  const Pending& late = emptied(*pending);
  EXPECT_TRUE(late.ready());
  EXPECT_EMPTY(late.wait());
  EXPECT_EMPTY(late.wait(std::chrono::seconds(1)));
  const auto now = late.outputs();
  ASSERT_TRUE(now);
  EXPECT_EMPTY(*now);
  late.on_ready([](const Pending&) { ADD_FAILURE() << "nothing gets ready"; });
  const std::vector<Pending> all(2, late);
  for (const auto& result : wait_all(all))
    EXPECT_EMPTY(result);
  const Outputs& none = emptied(*outputs);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_FALSE(none.contains("out"));
  EXPECT_EMPTY(none.bytes("out"));
  Words back(3);
  EXPECT_EMPTY(none.copy_to("out", std::as_writable_bytes(std::span(back))));
  EXPECT_FALSE(none.timing().kernel);
  EXPECT_TRUE(none.step_timings().empty());
}

TEST_P(Handles, OfAProgramThatWereMovedFromAreErrors) {
  ValidProgram program = copy_;
  const ValidProgram& none = emptied(program);
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.program().buffers.empty());
  EXPECT_TRUE(none->name.empty());
  const Input input("in", words_);
  EXPECT_EMPTY(device().dispatch(none, {input}));
  EXPECT_EMPTY(device().submit(none, {input}));
  EXPECT_EMPTY(device().prepare(none));
  EXPECT_EMPTY(emit(none, "wgsl"));
  EXPECT_EMPTY(emit(none, "ir"));
  Sequence sequence(device());
  EXPECT_EMPTY(sequence.add(none, {input}));
  const BatchJob jobs[] = {{copy_, {input}}, {none, {input}}, {copy_, {input}}};
  const auto batch = device().submit_batch(jobs);
  ASSERT_EQ(batch.size(), 3u);
  EXPECT_EMPTY(batch[1]);
  for (const std::size_t i : {0u, 2u}) {
    ASSERT_OK(batch[i]);
    expect_words(batch[i]->wait(), "out", words_);
  }
  program = copy_;  // a handle again
  expect_words(device().dispatch(program, {input}), "out", words_);
}

TEST_P(Handles, OfErrorsThatWereMovedFromSaySo) {
  Error error(ErrorKind::io, "cannot-open", "a message", "a help");
  const Error& none = emptied(error);
  EXPECT_EQ(none.kind(), ErrorKind::invalid_argument);
  EXPECT_EQ(none.code(), "empty-handle");
  EXPECT_NE(none.to_string().find("moved from"), std::string::npos);
  EXPECT_TRUE(none.help().size() + none.context().size() + none.diagnostics().size() > 0);
  const Error copy = none;
  EXPECT_EQ(copy.code(), "empty-handle");
  EXPECT_EQ(Error(none).with("reading").context().size(), 1u);
  error = Error(ErrorKind::io, "cannot-read", "again");
  EXPECT_EQ(error.code(), "cannot-read");
}

TEST_P(Handles, OfASequenceThatWereMovedFromAreErrors) {
  Sequence sequence(device());
  const Sequence& none = emptied(sequence);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EMPTY(none.run());
  EXPECT_EMPTY(none.submit());
}

// ------------------------------------------------------------------ what calls need is kept

TEST_P(Handles, OfAJobsProgramMayBeTheLast) {
  std::vector<BatchJob> jobs;
  for (std::uint32_t i = 0; i < 3; ++i)
    jobs.push_back({*copy_kernel<std::uint32_t>(32 << i), {{"in", words_}}});
  const BatchJob copy = jobs[0];
  jobs.push_back(copy);
  for (const auto& pending : device().submit_batch(jobs)) {
    ASSERT_OK(pending);
    expect_words(pending->wait(), "out", words_);
  }
}

/// A job keeps the values and the buffers that it is given, though not the spans.
TEST_P(Handles, OfAJobsInputsMayBeTheLast) {
  struct LastParams {
    std::uint32_t a[16];
  };
  Builder b("last", {.workgroup = 1});
  auto x = b.in_out<std::uint32_t>("x");
  auto by = b.uniform<std::uint32_t>("by");
  auto more = b.input<std::uint32_t>("more", 16);
  x[0] = x[0] + by + more[15];
  const auto program = *b.build();
  std::vector<BatchJob> jobs;
  const auto add = [&](std::uint32_t i) {
    const auto buffer = device().allocate(4);
    ASSERT_OK(buffer);
    ASSERT_OK(buffer->upload(std::as_bytes(std::span(&i, 1))));
    LastParams params = {};
    params.a[15] = 100 * i;
    jobs.push_back({program, {{"x", *buffer}, {"by", 10 * i}, {"more", params}}});
    jobs.push_back({copy_, {{"in", *buffer}}});
  };
  for (std::uint32_t i = 1; i <= 4; ++i)
    add(i);
  std::vector<BatchJob> moved = std::move(jobs);
  const auto batch = device().submit_batch(moved);
  for (std::uint32_t i = 0; i < batch.size(); ++i) {
    ASSERT_OK(batch[i]);
    const auto outputs = batch[i]->wait();
    ASSERT_OK(outputs);
    if (i % 2 == 1) expect_words(outputs, "out", {111 * (i / 2 + 1)});
  }
}

TEST_P(Handles, OfAResultMayGoWhileItIsWaitedFor) {
  for (int how = 0; how < 3; ++how) {
    auto submitted = device().submit(copy_, {{"in", words_}});
    ASSERT_OK(submitted);
    auto mine = std::make_unique<Pending>(*std::move(submitted));
    bool called = false;
    mine->on_ready([&](const Pending&) {
      called = true;
      mine.reset();
    });
    while (how == 0 && mine != nullptr)
      (void)mine->ready();
    while (how == 1 && mine != nullptr)
      (void)mine->outputs();
    if (how == 2 && mine != nullptr) expect_words(mine->wait(), "out", words_);
    EXPECT_TRUE(called);
    EXPECT_EQ(mine, nullptr);
  }
}

/// A callback may let go what the very call works on that runs it.
TEST_P(Handles, MayGoInACallbackOfTheirOwnCall) {
  auto opened = open(device().info().selector());
  ASSERT_OK(opened);
  auto mine = std::make_unique<Device>(*opened);
  opened = Error(ErrorKind::io, "none", "only `mine` is left");
  auto buffer = std::make_unique<Buffer>(*mine->allocate(16));
  auto sequence = std::make_unique<Sequence>(*mine);
  ASSERT_OK(sequence->add(*add_kernel(), {{"x", *buffer}, {"by", 1u}}));
  int calls = 0;
  const auto letting_go = [&](auto& handle) {
    const auto pending = mine->submit(copy_, {{"in", words_}});
    ASSERT_OK(pending);
    pending->on_ready([&](const Pending&) {
      ++calls;
      handle.reset();
    });
  };
  letting_go(sequence);
  while (sequence != nullptr)
    (void)sequence->run();
  Words words(4);
  letting_go(buffer);
  while (buffer != nullptr) {
    (void)buffer->upload(std::as_bytes(std::span(words)));
    (void)buffer->download(std::as_writable_bytes(std::span(words)));
    (void)mine->dispatch(copy_, {{"in", words_}});
  }
  letting_go(mine);
  while (mine != nullptr)
    (void)mine->dispatch(copy_, {{"in", words_}});
  EXPECT_EQ(calls, 3);
}

TEST_P(Handles, TakeNoCallbackThatIsNone) {
  const auto pending = device().submit(copy_, {{"in", words_}});
  ASSERT_OK(pending);
  pending->on_ready({});
  expect_words(pending->wait(), "out", words_);
  pending->on_ready({});
}

TEST_P(Handles, MayBeWaitedForAgain) {
  const auto pending = device().submit(copy_, {{"in", words_}});
  ASSERT_OK(pending);
  const std::vector<Pending> all(3, *pending);
  for (const auto& outputs : wait_all(all))
    expect_words(outputs, "out", words_);
  const auto first = pending->wait();
  const auto second = pending->wait(std::chrono::nanoseconds(0));
  ASSERT_OK(first);
  ASSERT_OK(second);
  EXPECT_EQ(first->bytes("out").data(), second->bytes("out").data()) << "one memory";
}

TEST_P(Handles, OfMoreThanThereIsAreRefused) {
  for (const std::size_t count : {~std::size_t{0}, ~std::size_t{0} / 8 + 2, ~std::size_t{0} / 2}) {
    const auto staged = device().stage<std::uint64_t>(count);
    EXPECT_REFUSED(staged, ErrorKind::out_of_memory, "out-of-memory", "18446744073709551615");
  }
}

INSTANTIATE_ON_ALL_DEVICES(Handles);

// ---------------------------------------------------------------------------------- recovery

class Recoveries : public Handles {};

/// A device that is opened again under the feet of threads that use it.
TEST_P(Recoveries, DisturbNoCallOfAnotherThread) {
  const auto opened = open(device().info().selector());
  ASSERT_OK(opened);
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  const auto check = [&](const Result<Outputs>& outputs) {
    if (!outputs || outputs->as<std::uint32_t>("out").size() != words_.size()) ++wrong;
  };
  const auto use = [&](std::uint32_t workgroup) {
    while (!done) {
      const auto program = *copy_kernel<std::uint32_t>(workgroup);
      const DeviceInfo info = opened->info();
      if (info.selector() != device().info().selector()) ++wrong;
      check(opened->dispatch(program, {{"in", words_}}));
      if (!opened->prepare(program)) ++wrong;
      const BatchJob jobs[] = {{program, {{"in", words_}}}, {program, {{"in", words_}}}};
      for (const auto& pending : opened->submit_batch(jobs))
        if (pending)
          check(pending->wait());
        else
          ++wrong;
      (void)opened->stats();
      opened->trim();
    }
  };
  std::thread first(use, 32);
  std::thread second(use, 64);
  for (int i = 0; i < 8; ++i)
    EXPECT_OK(opened->recover());
  done = true;
  first.join();
  second.join();
  EXPECT_EQ(wrong, 0);
}

/// What was made before belongs to the device of before: it goes on by itself, or is refused.
TEST_P(Recoveries, KeepGenerationsApart) {
  const auto opened = open(device().info().selector());
  ASSERT_OK(opened);
  const auto buffer = opened->allocate(12);
  ASSERT_OK(buffer);
  ASSERT_OK(buffer->upload(std::as_bytes(std::span(words_))));
  const auto before = opened->dispatch(copy_, {{"in", *buffer}});
  ASSERT_OK(before);
  Sequence sequence(*opened);
  ASSERT_OK(sequence.add(*add_kernel(), {{"x", *buffer}, {"by", 1u}}));
  const std::string& name = opened->info().name;  // a copy: it outlives the driver
  ASSERT_OK(opened->recover());
  EXPECT_EQ(name, opened->info().name);
  EXPECT_REFUSED(opened->dispatch(copy_, {{"in", *buffer}}), ErrorKind::invalid_argument,
                 "wrong-device", "`in`");
  Sequence next(*opened);
  EXPECT_REFUSED(next.read("x", *buffer), ErrorKind::invalid_argument, "wrong-device", "`x`");
  EXPECT_OK(sequence.add(*add_kernel(), {{"x", *buffer}, {"by", 1u}}));
  EXPECT_OK(sequence.run());
  Words words(3);
  ASSERT_OK(buffer->download(std::as_writable_bytes(std::span(words))));
  if (computes()) {
    EXPECT_EQ(words, (Words{3, 4, 5}));
  }
  expect_words(before, "out", words_);
  expect_words(opened->dispatch(copy_, {{"in", words_}}), "out", words_);
}

INSTANTIATE_ON_ALL_DEVICES(Recoveries);

}  // namespace
}  // namespace vyre::test
