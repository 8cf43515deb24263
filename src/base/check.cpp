// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace vyre {
namespace {

void write_to_stderr(std::string_view message) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(message.size()), message.data());
}

std::atomic<CheckSink> current_sink{write_to_stderr};

}  // namespace

CheckSink set_check_sink(CheckSink sink) {
  return current_sink.exchange(sink != nullptr ? sink : write_to_stderr);
}

void end_program(std::string_view message) {
  current_sink.load()(message);
  std::abort();
}

void check_failed(const char* file, int line, const char* what) {
  end_program(std::string(file) + ":" + std::to_string(line) + ": check failed: " + what);
}

}  // namespace vyre
