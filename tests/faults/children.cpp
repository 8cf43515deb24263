// SPDX-License-Identifier: MIT OR Apache-2.0
#include "faults/children.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

#include <sys/wait.h>

namespace vyre::test {
namespace {

constexpr const char* kVariable = "VYRE_FAULT_TASK";
constexpr unsigned kLongest = 240;  // seconds; no child takes a tenth of it unless it hangs

std::string to_text(const Task& task) {
  std::ostringstream text;
  text << task.what << ' ' << (task.call.empty() ? "-" : task.call) << ' ' << task.result << ' '
       << task.first << ' ' << task.last;
  return text.str();
}

[[noreturn]] void become_child(const Task& task, int out) {
  ::dup2(out, STDOUT_FILENO);
  ::setenv(kVariable, to_text(task).c_str(), 1);
  ::setenv("VK_DRIVER_FILES", VYRE_FAULT_MANIFEST, 1);
  ::setenv("VK_ICD_FILENAMES", VYRE_FAULT_MANIFEST, 1);
  ::setenv("VYRE_CACHE_DIR", "", 1);
  ::alarm(kLongest);
  ::execl("/proc/self/exe", "child", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
          "--gtest_filter=Child.DISABLED_DoesItsTask", static_cast<char*>(nullptr));
  ::_exit(127);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "exit status " + std::to_string(WEXITSTATUS(status));
  return {};
}

}  // namespace

Report run_child(const Task& task) {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return {.end = "no pipe"};
  const pid_t child = ::fork();
  if (child < 0) return {.end = "no process"};
  if (child == 0) become_child(task, ends[1]);
  ::close(ends[1]);
  std::string all;
  char bytes[4096];
  for (ssize_t n = 0; (n = ::read(ends[0], bytes, sizeof bytes)) > 0;)
    all.append(bytes, static_cast<std::size_t>(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  Report report = {.end = end_of(status)};
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind("> ", 0) == 0)
      report.lines.push_back(line.substr(2));
    else if (!report.end.empty())
      report.end += "\n" + line;
  return report;
}

std::optional<Task> task_of_child() {
  const char* const text = std::getenv(kVariable);
  if (text == nullptr) return std::nullopt;
  std::istringstream words(text);
  Task task;
  words >> task.what >> task.call >> task.result >> task.first >> task.last;
  return task;
}

void tell(const std::string& line) {
  std::printf("> %s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace vyre::test
