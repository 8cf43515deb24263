// SPDX-License-Identifier: MIT OR Apache-2.0
#include <gtest/gtest.h>

#include "support/check_result.h"
#include "support/devices.h"
#include "support/kernels.h"

// What a kernel is told of its launch, dispatch after dispatch.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class LaunchWords : public DeviceTest {
 protected:
  /// Writes the length of `in` and the grid.
  static ValidProgram tell_kernel() {
    Builder b("tell", {.workgroup = 1});
    auto in = b.input<std::uint32_t>("in");
    auto out = b.output<std::uint32_t>("out", 4);
    b.if_(b.global_id() == 0u, [&] {
      out[0u] = in.length();
      for (std::uint8_t axis = 0; axis < 3; ++axis)
        out[1u + axis] = b.num_workgroups(axis);
    });
    return *b.build();
  }
};

TEST_P(LaunchWords, AreThoseOfTheCall) {
  const auto program = tell_kernel();
  const std::uint32_t lengths[] = {5, 5, 5, 9, 5, 9, 9, 1, 5, 0, 0, 0, 9, 5};
  for (const std::uint32_t length : lengths)
    for (const std::uint32_t y : {1u, 1u, 2u}) {
      const auto outputs =
          device().dispatch(program, {{"in", Words(length)}}, {.grid = {{length + 1, y, 1}}});
      ASSERT_OK(outputs);
      EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")), (Words{length, length + 1, y, 1}));
    }
}

TEST_P(LaunchWords, OfJobsInABatchAreTheirOwn) {
  const auto program = tell_kernel();
  for (int round = 0; round < 3; ++round) {
    std::vector<Words> inputs;
    std::vector<BatchJob> jobs;
    for (std::uint32_t i = 0; i < 100; ++i)
      inputs.emplace_back(i % 7 + i % 2 * 100);
    for (std::uint32_t i = 0; i < 100; ++i)
      jobs.push_back({program, {{"in", inputs[i]}}, {.grid = {{i % 3 + 1, 1, 1}}}});
    const auto pending = device().submit_batch(jobs);
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_OK(pending[i]);
      const auto outputs = pending[i]->wait();
      ASSERT_OK(outputs);
      EXPECT_EQ(to_vector(outputs->as<std::uint32_t>("out")),
                (Words{static_cast<std::uint32_t>(inputs[i].size()), i % 3 + 1, 1, 1}));
    }
  }
}

INSTANTIATE_ON_DEVICES(LaunchWords);

}  // namespace
}  // namespace vyre::test
