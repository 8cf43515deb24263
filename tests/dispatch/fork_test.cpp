// SPDX-License-Identifier: MIT OR Apache-2.0
#include <atomic>
#include <optional>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include "support/devices.h"
#include "support/kernels.h"

// A child of the process that opened a device: its calls fail at once, and its handles go in peace.
namespace vyre {
namespace {

using test::DeviceTest;
using Words = std::vector<std::uint32_t>;

/// Everything that a process may hold of a device.
struct Handles {
  explicit Handles(const std::string& name) : device(*open(name)) {
    sequence.emplace(device);
    EXPECT_TRUE(sequence->add(copy, {{"in", *in}, {"out", *out}}));
    EXPECT_TRUE(outputs);
  }

  Device device;
  ValidProgram copy = *test::copy_kernel<std::uint32_t>();
  Words words = Words(1000, 7);
  Result<Buffer> in = device.allocate(4000);
  Result<Buffer> out = device.allocate(4000);
  Result<Staged<std::uint32_t>> staged = device.stage<std::uint32_t>(1000);
  Result<Outputs> outputs = device.dispatch(copy, {{"in", words}});
  Result<Pending> pending = device.submit(copy, {{"in", words}});
  std::optional<Sequence> sequence;
};

template <typename Answer>
bool is_forked(const Answer& answer) {
  return !answer && answer.error().code() == "forked" &&
         answer.error().kind() == ErrorKind::unavailable;
}

/// The number of the first call whose answer is wrong; 0: none is.
int first_wrong(const Handles& h) {
  Words back(1000);
  const BatchJob job[] = {{h.copy, {{"in", h.words}}}};
  Sequence other(h.device);
  const bool right[] = {
      is_forked(h.device.dispatch(h.copy, {{"in", h.words}})),
      is_forked(h.device.submit(h.copy, {{"in", *h.in}})),
      is_forked(h.device.submit_batch(job).front()),
      is_forked(h.device.prepare(h.copy)),
      is_forked(h.device.allocate(4)),
      is_forked(h.device.stage_bytes(4)),
      is_forked(h.device.recover()),
      is_forked(h.in->upload(std::as_bytes(std::span(h.words)))),
      is_forked(h.in->download(std::as_writable_bytes(std::span(back)))),
      is_forked(h.sequence->run()),
      is_forked(other.add(h.copy, {{"in", *h.in}, {"out", *h.out}})),
      h.pending->ready(),
      h.outputs->as<std::uint32_t>("out").size() == 1000,
  };
  for (std::size_t i = 0; i < std::size(right); ++i)
    if (!right[i]) return static_cast<int>(i) + 1;
  h.device.trim();
  return h.device.stats().submissions == 0 ? 0 : 100;
}

/// What the child's `body` gives; a child that hangs is ended by a signal, which gives -1.
template <typename Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(body());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class ForkTest : public DeviceTest {};

TEST_P(ForkTest, LetsEveryCallFail) {
  std::optional<Handles> handles(GetParam());
  EXPECT_EQ(in_child([&] { return first_wrong(*handles); }), 0);
  EXPECT_TRUE(handles->pending->wait()) << "the parent goes on";
}

TEST_P(ForkTest, LetsHandlesGo) {
  std::optional<Handles> handles(GetParam());
  const auto let_go = [&] {
    handles.reset();
    return 0;
  };
  EXPECT_EQ(in_child(let_go), 0);
  const auto let_go_of_others = [&] {
    handles->device = *open("null");
    handles.reset();
    return 0;
  };
  EXPECT_EQ(in_child(let_go_of_others), 0);
  EXPECT_TRUE(handles->pending->wait());
}

TEST_P(ForkTest, WhileAnotherThreadHoldsItsLocks) {
  std::optional<Handles> handles(GetParam());
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop)
      EXPECT_TRUE(handles->device.dispatch(handles->copy, {{"in", handles->words}}));
  });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(in_child([&] {
                const int wrong = first_wrong(*handles);
                handles.reset();
                return wrong;
              }),
              0);
  stop = true;
  other.join();
}

TEST_P(ForkTest, LetsAChildOpenTheCpu) {
  std::optional<Handles> handles(GetParam());
  const auto start_anew = [&] {
    const auto device = open("cpu");
    const Words large((std::size_t{8} << 20) / 4, 3);  // bytes enough for several threads
    const auto out = device ? device->dispatch(handles->copy, {{"in", large}}) : device.error();
    return out && test::to_vector(out->as<std::uint32_t>("out")) == large ? 0 : 1;
  };
  EXPECT_EQ(in_child(start_anew), 0);
}

INSTANTIATE_ON_ALL_DEVICES(ForkTest);

}  // namespace
}  // namespace vyre
