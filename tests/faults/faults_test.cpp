// SPDX-License-Identifier: MIT OR Apache-2.0
#include <chrono>
#include <dlfcn.h>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/device.h"

#include "faults/children.h"
#include "faults/fault_driver.h"
#include "support/kernels.h"
#include "support/required.h"

// Every Vulkan call of a device's life fails, at every time that it is made: no process ends, each
// handle gives the right error, and the device comes back.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

constexpr std::int32_t kLost = -4;          // VK_ERROR_DEVICE_LOST
constexpr std::int32_t kHostMemory = -1;    // VK_ERROR_OUT_OF_HOST_MEMORY
constexpr std::int32_t kDeviceMemory = -2;  // VK_ERROR_OUT_OF_DEVICE_MEMORY
constexpr std::uint32_t kTimes = 40;        // of one call: those that poll are made without end

/// The failing driver, as this process has it.
struct Steering {
  decltype(&fault_arm) arm;
  decltype(&fault_fired) fired;
  decltype(&fault_reset_counts) reset_counts;
  decltype(&fault_call) call;
  decltype(&fault_count) count;
  decltype(&fault_delay_first_launch) delay_first_launch;
};

const Steering& steering() {
  static const Steering kSteering = [] {
    void* const library = ::dlopen(VYRE_FAULT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    Steering found = {};
    const auto get = [&](auto& to, const char* name) {
      to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(::dlsym(library, name));
    };
    get(found.arm, "fault_arm");
    get(found.fired, "fault_fired");
    get(found.reset_counts, "fault_reset_counts");
    get(found.call, "fault_call");
    get(found.count, "fault_count");
    get(found.delay_first_launch, "fault_delay_first_launch");
    return found;
  }();
  return kSteering;
}

/// What one life of a device saw: the errors in order, and whether a wrong value came.
struct Life {
  std::vector<Error> errors;
  std::string wrong;

  /// Notes the error, if there is one.
  template <typename Answer>
  bool took(const Answer& result) {
    if (!result) errors.push_back(result.error());
    return static_cast<bool>(result);
  }
  void expect(const Result<Outputs>& outputs, std::string_view name, const Words& words) {
    if (took(outputs) && to_vector(outputs->as<std::uint32_t>(name)) != words)
      wrong = "wrong words in `" + std::string(name) + "`";
  }
};

/// A dispatch of every kind, and memory of every kind.
void live(const Device& device, Life& life) {
  const auto copy = *copy_kernel<std::uint32_t>();
  const Words words = counting<std::uint32_t>(3000);
  auto buffer = device.allocate(words.size() * 4);
  if (life.took(buffer))
    if (const Status filled = buffer->upload(std::as_bytes(std::span(words))); !life.took(filled))
      buffer = filled.error();
  life.expect(device.dispatch(copy, {{"in", words}}), "out", words);
  if (buffer) life.expect(device.dispatch(copy, {{"in", *buffer}}), "out", words);
  std::vector<Pending> pending;
  for (int i = 0; i < 3; ++i)
    if (auto one = device.submit(copy, {{"in", words}}); life.took(one))
      pending.push_back(*std::move(one));
  const auto large = device.allocate(std::uint64_t{96} << 20);  // while work is pending
  life.took(large);
  for (const auto& one : wait_all(pending))
    life.expect(one, "out", words);
  life.expect(device.dispatch(copy, {{"in", words}}, {.timestamps = true}), "out", words);
  auto staged = device.stage<std::uint32_t>(words.size());
  if (life.took(staged)) {
    std::copy(words.begin(), words.end(), staged->elements().begin());
    life.expect(device.dispatch(copy, {{"in", *staged}}), "out", words);
  }
  const BatchJob jobs[] = {{copy, {{"in", words}}}, {copy, {{"in", words}}}};
  for (auto& one : device.submit_batch(jobs))
    if (life.took(one)) life.expect(one->wait(), "out", words);
  if (!buffer) return;
  const auto written = device.allocate(words.size() * 4);
  if (!life.took(written)) return;
  Sequence sequence(device);
  if (life.took(sequence.add(copy, {{"in", *buffer}, {"out", *written}})) &&
      life.took(sequence.read("out", *written)))
    life.expect(sequence.run(), "out", words);
  Words back(words.size());
  if (life.took(written->download(std::as_writable_bytes(std::span(back)))) && back != words)
    life.wrong = "wrong words in a download";
}

bool is_lost(const Error& error) {
  return error.kind() == ErrorKind::device_lost;
}

/// What is wrong with a life in which a call failed; empty: nothing.
std::string judge(const Device& device, const Life& life, std::int32_t result) {
  if (!life.wrong.empty()) return life.wrong;
  bool lost = false;
  for (const Error& error : life.errors) {
    if (lost && !is_lost(error)) return "after the loss: " + error.to_string();
    lost = lost || is_lost(error);
    if (!lost && error.kind() != ErrorKind::out_of_memory)
      return "wrong kind: " + error.to_string();
    if (!lost && result == kLost) return "no loss: " + error.to_string();
  }
  Life after;
  live(device, after);
  if (lost && after.errors.empty()) return "the device works after it was lost";
  for (const Error& error : after.errors)
    if (!is_lost(error)) return "afterwards: " + error.to_string();
  if (!lost && result == kDeviceMemory && !after.errors.empty())
    return "lost in silence: " + after.errors.front().to_string();
  if (const Status back = device.recover(); !back)
    return "no recovery: " + back.error().to_string();
  Life next;
  live(device, next);
  if (!next.errors.empty()) return "after recovery: " + next.errors.front().to_string();
  return next.wrong;
}

/// One life with the n-th call failing.
std::string fail_once(const Task& task, std::uint32_t nth) {
  const auto device = open("wgpu");
  if (!device) return "not opened: " + device.error().to_string();
  steering().arm(task.call.c_str(), nth, task.result);
  Life life;
  live(*device, life);
  steering().arm("", 0, 0);
  return judge(*device, life, task.result);
}

/// The n-th call fails while the device is opened: it is not there, or it works.
std::string fail_open(const Task& task, std::uint32_t nth) {
  steering().arm(task.call.c_str(), nth, task.result);
  const auto device = open("wgpu");
  steering().arm("", 0, 0);
  if (device) return judge(*device, {}, task.result);
  const auto again = open("wgpu");
  return again ? "" : "not opened again: " + again.error().to_string();
}

void tell_counts() {
  for (std::uint32_t i = 0; steering().call(i) != nullptr; ++i)
    if (const std::uint32_t count = steering().count(i); count != 0)
      tell(std::string(steering().call(i)) + " " + std::to_string(count));
}

void count_calls(bool opening) {
  if (opening) steering().reset_counts();
  const auto device = open("wgpu");
  if (!opening) steering().reset_counts();
  Life life;
  if (!opening && device) live(*device, life);
  tell_counts();
  if (!device || !life.errors.empty() || !life.wrong.empty())
    tell("bad " + (device ? life.wrong : device.error().to_string()));
}

void fail_each(const Task& task, std::string (*fail)(const Task&, std::uint32_t)) {
  for (std::uint32_t nth = task.first; nth < task.last; ++nth) {
    tell(std::to_string(nth));
    if (const std::string fault = fail(task, nth); !fault.empty()) tell("bad " + fault);
  }
}

/// The first dispatch of a kernel whose driver compiles it as late as it can.
void compile_late() {
  const auto device = open("wgpu");
  if (!device) return tell("bad " + device.error().to_string());
  steering().delay_first_launch(1500);
  const Words words = counting<std::uint32_t>(3000);
  const auto out = device->dispatch(*copy_kernel<std::uint32_t>(), {{"in", words}},
                                    {.timeout = std::chrono::milliseconds(1000)});
  tell(out ? "good" : "bad " + out.error().to_string());
}

}  // namespace

class Child : public testing::Test {};

TEST_F(Child, DISABLED_DoesItsTask) {
  const auto task = task_of_child();
  ASSERT_TRUE(task);
  if (task->what == "count") count_calls(false);
  if (task->what == "count-open") count_calls(true);
  if (task->what == "live") fail_each(*task, fail_once);
  if (task->what == "open") fail_each(*task, fail_open);
  if (task->what == "late") compile_late();
}

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto device = open("wgpu"); !device) SKIP_WITHOUT_DEVICE("wgpu", device.error());
  }

  /// Every call that a life makes, at every time.
  static void fail_all(const std::string& what, std::int32_t result) {
    const Report counted = run_child({.what = what == "live" ? "count" : "count-open"});
    ASSERT_EQ(counted.end, "");
    ASSERT_FALSE(counted.lines.empty());
    for (const std::string& line : counted.lines) {
      std::istringstream words(line);
      std::string call;
      std::uint32_t count = 0;
      words >> call >> count;
      ASSERT_NE(call, "bad") << line;
      fail_call({what, call, result, 0, std::min(count, kTimes)});
    }
  }

  /// A child that ends early says which time ended it; the next child goes on behind that.
  static void fail_call(Task task) {
    while (task.first < task.last) {
      const Report report = run_child(task);
      for (const std::string& line : report.lines)
        if (line.rfind("bad ", 0) == 0)
          ADD_FAILURE() << task.what << ": " << task.call << " answers " << task.result
                        << " at its time " << task.first << ": " << line.substr(4);
        else
          task.first = static_cast<std::uint32_t>(std::stoul(line));
      if (!report.end.empty())
        ADD_FAILURE() << task.what << ": " << task.call << " answers " << task.result
                      << " at its time " << task.first << ": " << report.end;
      ++task.first;
    }
  }
};

using DeviceLost = Faults;
using OutOfMemory = Faults;
using LateCompilation = Faults;

TEST_F(DeviceLost, InAnyCallIsToldByEveryHandle) {
  fail_all("live", kLost);
}
TEST_F(DeviceLost, WhileItIsOpenedLeavesTheProcess) {
  fail_all("open", kLost);
}
TEST_F(OutOfMemory, OfTheDeviceInAnyCallIsAnError) {
  fail_all("live", kDeviceMemory);
}
TEST_F(OutOfMemory, OfTheHostInAnyCallIsAnError) {
  fail_all("live", kHostMemory);
}
TEST_F(OutOfMemory, WhileItIsOpenedLeavesTheProcess) {
  fail_all("open", kDeviceMemory);
}
TEST_F(LateCompilation, IsOutsideOfTheDeadline) {
  const Report report = run_child({.what = "late"});
  EXPECT_EQ(report.end, "");
  EXPECT_EQ(report.lines, std::vector<std::string>{"good"});
}

}  // namespace vyre::test
