// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

/// Shows that long work goes on.
///
/// On a terminal, after half a second, a line "running on cpu, 3 s" that is rewritten and wiped at
/// the end; elsewhere nothing.  Lives as long as the work; one at a time.
namespace vyre::cli {

class Progress {
 public:
  explicit Progress(std::string doing);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();
  /// Says what is being done from now on.
  void now(std::string doing);
  /// Wipes the line, if one is shown.  Any thread.
  static void wipe();

 private:
  void show();

  std::string doing_;
  std::mutex mutex_;
  std::condition_variable done_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace vyre::cli
