// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/progress.h"

#include <atomic>
#include <chrono>
#include <unistd.h>
#include <utility>

namespace vyre::cli {
namespace {

void write_terminal(const char* text, std::size_t size) {
  [[maybe_unused]] const ssize_t put = ::write(STDERR_FILENO, text, size);
}

constexpr char kWipe[] = "\r\x1b[K";

std::atomic<bool> line_is_shown{false};

bool is_interactive() {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace

Progress::Progress(std::string doing) : doing_(std::move(doing)) {
  if (is_interactive()) thread_ = std::thread(&Progress::show, this);
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  done_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Progress::now(std::string doing) {
  const std::lock_guard lock(mutex_);
  doing_ = std::move(doing);
}

void Progress::show() {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  auto next = start + std::chrono::milliseconds(500);
  while (!done_.wait_until(lock, next, [this] { return is_done_; })) {
    line_is_shown = true;
    const auto passed = std::chrono::steady_clock::now() - start;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    const std::string line = kWipe + doing_ + ", " + std::to_string(seconds) + " s";
    write_terminal(line.data(), line.size());
    next += std::chrono::milliseconds(500);
  }
  wipe();
}

void Progress::wipe() {
  if (line_is_shown.exchange(false)) write_terminal(kWipe, sizeof kWipe - 1);
}

}  // namespace vyre::cli
