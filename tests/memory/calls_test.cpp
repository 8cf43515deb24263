// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vyre/builder.h"
#include "vyre/device.h"
#include "vyre/sequence.h"

#include "memory/every_allocation.h"
#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

#if defined(VYRE_HAS_WGPU)
#include "backend/wgpu/api.h"
#include "backend/wgpu/latch.h"
#endif

// Lack of host memory in the calls of devices: an error, or the right bytes; then the device is as
// usable as before.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

#if defined(VYRE_HAS_WGPU)
/// What lacks memory while the library is loaded is not kept as its absence.
TEST(LoadingWithoutMemory, OfTheWebGpuLibraryIsTriedAgain) {
  own_other_threads(false);
  std::int64_t k = 0;
  for (bool lacked = true; lacked; ++k) {
    const NoMemory none(k, Lack::from_then_on);
    try {
      const auto loaded = wgpu::load_api();
      if (!loaded) GTEST_SKIP() << loaded.error().to_string();
      EXPECT_TRUE(*loaded != nullptr);
    } catch (const std::bad_alloc&) {
      EXPECT_TRUE(none.hit());
    }
    lacked = none.hit();
  }
  EXPECT_GT(k, 3);
}

/// The library's callback throws nothing through the library, and what it says is not lost.
TEST(LoadingWithoutMemory, LeavesComplaintsWithoutTheirText) {
  own_other_threads(false);
  const std::string text(200, 'x');
  {
    const NoMemory none(0, Lack::from_then_on);
    wgpu::latch_error(WGPUErrorType_Validation, text);
  }
  EXPECT_TRUE(wgpu::is_latched());
  EXPECT_REFUSED(wgpu::check_latch(ErrorKind::unsupported, "bindings-refused", "a call"),
                 ErrorKind::unsupported, "bindings-refused", "refused a call");
}
#endif

class CallsWithoutMemory : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    own_other_threads(GetParam() != "wgpu");
    (void)list_devices();
    const auto opened = open(GetParam());
    if (!opened) SKIP_WITHOUT_DEVICE(GetParam(), opened.error());
    if (GetParam() == "wgpu") {
      mark_foreign_calls();
      kept_ = *opened;
    }
    copy_ = copy_kernel<std::uint32_t>();
    scaled_ = scaled_kernel();
    for (std::uint32_t i = 0; i < words_.size(); ++i)
      words_[i] = i + 1;
  }
  void TearDown() override { kept_.reset(); }

  [[nodiscard]] bool computes() const { return GetParam() != "null"; }

  /// A device with nothing in its pool, and kernels that are compiled by now.  To open a GPU takes
  /// long.
  [[nodiscard]] Device subject() const {
    const Device device = kept_ ? *kept_ : *open(GetParam());
    device.trim();
    EXPECT_OK(device.prepare(*copy_));
    EXPECT_OK(device.prepare(*scaled_));
    return device;
  }

  /// y[i] += by * x[i], which traps above a limit: every kind of binding.
  static Result<ValidProgram> scaled_kernel(std::uint32_t constant = 0) {
    Builder b("scaled", {.workgroup = 64});
    auto x = b.input<std::uint32_t>("x");
    auto y = b.in_out<std::uint32_t>("y");
    auto by = b.uniform<std::uint32_t>("by");
    const Value i = b.global_id();
    b.if_(i < x.length(), [&] {
      b.assert_(x[i] < 1000000u, "too large for this kernel", x[i]);
      y[i] = y[i] + by * x[i] + constant;
    });
    return b.build();
  }

  void expect_words(const Outputs& outputs, std::string_view name, const Words& right) const {
    const auto found = outputs.as<std::uint32_t>(name);
    ASSERT_EQ(found.size(), right.size());
    if (computes()) {
      EXPECT_TRUE(std::equal(right.begin(), right.end(), found.begin()));
    }
  }

  void expect_usable(const Device& device) const {
    {
      const auto outputs = device.dispatch(*copy_, {{"in", words_}});
      ASSERT_OK(outputs);
      expect_words(*outputs, "out", words_);
    }
    device.trim();  // what is pooled is not leaked
  }

  /// `call` on a device, which is usable afterwards.
  template <typename Call>
  void calls(Call&& call) {
    at_every_allocation([&] { return subject(); }, call,
                        [&](const Device& device, bool) { expect_usable(device); });
  }

  Words words_ = Words(100);
  std::optional<Device> kept_;
  Result<ValidProgram> copy_ = Error::host_memory();
  Result<ValidProgram> scaled_ = Error::host_memory();
};

/// Closing is under lack of memory too.
TEST_P(CallsWithoutMemory, OpenAndClose) {
  at_every_allocation([&] { return outcome(open(GetParam())); });
}

TEST_P(CallsWithoutMemory, TellWhatIsThere) {
  if (kept_) {  // who lists asks for all of them
    const auto all = list_devices();
    at_every_allocation([&]() -> Outcome {
      const auto devices = list_devices();
      if (devices.empty()) return Error::host_memory();
      EXPECT_EQ(devices.size(), all.size());
      return {};
    });
  }
  const std::string name = open(GetParam())->info().name;
  calls([&](const Device& device) -> Outcome {
    (void)device.stats();
    device.trim();
    const DeviceInfo info = device.info();
    if (info.backend.empty()) return Error::host_memory();
    EXPECT_EQ(info.name, name);
    return {};
  });
}

/// The first dispatch of a device: everything grows, and the kernel is compiled.
TEST_P(CallsWithoutMemory, Dispatch) {
  const Input inputs[] = {{"x", words_}, {"y", words_}, {"by", 2u}};
  Words right = words_;
  for (std::uint32_t& word : right)
    word *= 3;
  at_every_allocation(
      [&] {
        const Device device = *open(GetParam());
        if (kept_) {
          EXPECT_OK(device.prepare(*scaled_));  // a test of its own
        }
        return device;
      },
      [&](const Device& device) {
        const auto outputs = device.dispatch(*scaled_, inputs);
        if (outputs) expect_words(*outputs, "y", right);
        return outcome(outputs);
      },
      [&](const Device& device, bool) { expect_usable(device); });
}

/// A kernel that no device has seen.
TEST_P(CallsWithoutMemory, Prepare) {
  std::uint32_t next = 0;
  std::optional<Device> device;
  auto program = scaled_kernel(next);
  bool used = true;
  at_every_allocation(
      [&] {
        if (used) {
          device = *open(GetParam());
          program = scaled_kernel(++next);
          expect_usable(*device);
        }
        used = false;
        return 0;
      },
      [&](int) { return outcome(device->prepare(*program)); },
      [&](int, bool failed) {
        used = !failed || !kept_;
        expect_usable(*device);
        if (used) device.reset();
      },
      kept_ ? Leaves::caches : Leaves::nothing);
}

/// With a callback, which is called whatever lacks.
TEST_P(CallsWithoutMemory, SubmitAndWait) {
  Words copied(100);
  const Input inputs[] = {{"in", words_}};
  calls([&](const Device& device) -> Outcome {
    int called = 0;
    const auto pending = device.submit(*copy_, inputs);
    if (!pending) return outcome(pending);
    pending->on_ready([&called](const Pending&) { ++called; });
    const auto outputs = pending->wait();
    EXPECT_EQ(called, 1);
    const auto again = pending->outputs();
    EXPECT_TRUE(again.has_value());
    EXPECT_TRUE(pending->ready());
    if (!outputs) return outcome(outputs);
    expect_words(*outputs, "out", words_);
    return outcome(outputs->copy_to("out", std::as_writable_bytes(std::span(copied))));
  });
}

TEST_P(CallsWithoutMemory, SubmitBatchesAndWaitForAll) {
  std::vector<BatchJob> jobs = {{*copy_, {{"in", words_}}},
                                {*scaled_, {{"x", words_}, {"y", words_}, {"by", 0u}}},
                                {*copy_, {{"in", words_}}, {.label = "a label of some length"}}};
  if (kept_) {  // what is not waited for runs beside what follows: the device keeps room for that
    const auto a = kept_->submit_batch(jobs);
    const auto b = kept_->submit_batch(jobs);
    const auto c = kept_->submit_batch(jobs);
    for (const auto* batch : {&a, &b, &c})
      for (const auto& pending : *batch)
        EXPECT_OK(pending->wait());
  }
  calls([&](const Device& device) -> Outcome {
    const auto batch = device.submit_batch(jobs);
    if (batch.empty()) return Error::host_memory();
    EXPECT_EQ(batch.size(), jobs.size());
    Outcome given;
    for (const auto& pending : batch) {
      if (!pending) {
        given = pending.error();
        continue;
      }
      const auto outputs = wait_all(std::span(&*pending, 1));
      if (outputs.empty() || !outputs[0]) {
        given = outputs.empty() ? Error::host_memory() : outputs[0].error();
        continue;
      }
      expect_words(*outputs[0], outputs[0]->items()[0].name, words_);
    }
    return given;
  });
}

TEST_P(CallsWithoutMemory, AllocateAndStage) {
  calls([&](const Device& device) -> Outcome {
    const auto buffer = device.allocate(5000);
    if (!buffer) return outcome(buffer);
    const auto staged = device.stage<std::uint32_t>(100);
    if (!staged) return outcome(staged);
    std::copy(words_.begin(), words_.end(), staged->begin());
    const Input inputs[] = {{"in", *staged}};
    const auto outputs = device.dispatch(*copy_, inputs);
    if (outputs) expect_words(*outputs, "out", words_);
    return outcome(outputs);
  });
}

/// Ranges of every kind: whole words, parts of words, several, and what is streamed in chunks.
TEST_P(CallsWithoutMemory, MoveBytesUpAndDown) {
  const std::size_t large = GetParam() == "cpu" ? 5000 : std::size_t{9} << 20;
  std::vector<std::uint8_t> bytes(large + 3);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  std::vector<std::uint8_t> back(bytes.size());
  const auto from = std::as_bytes(std::span(bytes));
  const auto to = std::as_writable_bytes(std::span(back));
  struct Made {
    Device device;
    Buffer buffer;
  };
  at_every_allocation(
      [&] {
        const Device device = subject();
        return Made{device, *device.allocate(bytes.size() + 16)};
      },
      [&](const Made& made) -> Outcome {
        const Buffer::Upload two[] = {{0, from.first(40)}, {42, from.subspan(42, 17)}};
        const Buffer::Download down[] = {{1, to.first(39)}, {42, to.subspan(39, 17)}};
        for (const Status& status : {made.buffer.upload(from, 5), made.buffer.download(to, 5),
                                     made.buffer.upload(std::span<const Buffer::Upload>(two)),
                                     made.buffer.download(std::span<const Buffer::Download>(down))})
          if (!status) return outcome(status);
        EXPECT_TRUE(std::equal(bytes.begin() + 1, bytes.begin() + 40, back.begin()));
        return {};
      },
      [&](const Made& made, bool) {
        EXPECT_OK(made.buffer.upload(from));
        EXPECT_OK(made.buffer.download(to));
        EXPECT_EQ(bytes, back);
        expect_usable(made.device);
      });
}

TEST_P(CallsWithoutMemory, RecordAndReplaySequences) {
  struct Made {
    Device device;
    Buffer buffer;
  };
  const Input rest[] = {{"x", words_}, {"by", 2u}};
  at_every_allocation(
      [&] {
        const Device device = subject();
        return Made{device, *device.allocate(400)};
      },
      [&](const Made& made) -> Outcome {
        Sequence sequence(made.device);
        const Input inputs[] = {rest[0], {"y", made.buffer}, rest[1]};
        for (int step = 0; step < 2; ++step)
          if (const Status added = sequence.add(*scaled_, inputs); !added) return outcome(added);
        if (const Status read = sequence.read(std::string(), made.buffer); !read)
          return outcome(read);
        const auto pending = sequence.submit();
        if (!pending) return outcome(pending);
        if (const auto outputs = pending->wait(); !outputs) return outcome(outputs);
        const auto outputs = sequence.run({.timestamps = true});
        if (outputs && computes()) {
          EXPECT_EQ(outputs->as<std::uint32_t>("")[9], 80u);
        }
        return outcome(outputs);
      },
      [&](const Made& made, bool) { expect_usable(made.device); });
}

/// A grid that lies in a buffer, with timestamps.
TEST_P(CallsWithoutMemory, DispatchIndirectly) {
  const Words grid = {2, 1, 1};
  Builder b("indirect", {.workgroup = 64});
  auto args = b.input<std::uint32_t>("args");
  auto out = b.output<std::uint32_t>("out", 128);
  out[b.global_id()] = b.num_workgroups() + args[0] - 2u;
  const auto program = b.build();
  ASSERT_OK(program);
  const Input inputs[] = {{"args", grid}};
  const Words right(128, 2);
  const DispatchOptions options = {.indirect = IndirectGrid{"args", 0}, .timestamps = true};
  calls([&](const Device& device) {
    const auto outputs = device.dispatch(*program, inputs, options);
    if (outputs) expect_words(*outputs, "out", right);
    return outcome(outputs);
  });
}

/// Errors that have texts of their own, or that of lack of memory.
TEST_P(CallsWithoutMemory, RefuseAndTrap) {
  const Words large(100, 2000000);
  const Input traps[] = {{"x", large}, {"y", words_}, {"by", 2u}};
  const Input wrong[] = {{"x", words_}, {"nothing of this name", words_}};
  const auto but = [](const Result<Outputs>& outputs, ErrorKind kind) -> Outcome {
    if (!outputs && outputs.error().kind() == kind) return {};
    return outcome(outputs);
  };
  calls([&](const Device& device) -> Outcome {
    const auto trapped = device.dispatch(*scaled_, traps);
    EXPECT_TRUE(!trapped || !computes());
    if (const Outcome given = but(trapped, ErrorKind::trapped)) return given;
    return but(device.dispatch(*scaled_, wrong), ErrorKind::invalid_argument);
  });
}

TEST_P(CallsWithoutMemory, Recover) {
  at_every_allocation([&] { return *open(GetParam()); },
                      [&](const Device& device) { return outcome(device.recover()); },
                      [&](const Device& device, bool) { expect_usable(device); });
}

INSTANTIATE_ON_ALL_DEVICES(CallsWithoutMemory);

}  // namespace
}  // namespace vyre::test
