// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Processes of this test's own executable that run one task each on the failing driver, so that an
/// end by abort or by hanging is an answer and not the end of the test.
namespace vyre::test {

/// What a child is to do: `call` answers `result` at its n-th time, for n from `first` on.
struct Task {
  std::string what;
  std::string call = {};
  std::int32_t result = 0;
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

struct Report {
  std::vector<std::string> lines = {};  ///< what the child printed with `tell`
  std::string end = {};                 ///< empty: it ended by itself, with status 0
};

/// Runs the task in a child with the failing driver in place of the machine's own.
Report run_child(const Task& task);
/// In a child: what it is to do.
std::optional<Task> task_of_child();
/// In a child: a line for the parent, at once.
void tell(const std::string& line);

}  // namespace vyre::test
