// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/result.h"
#include "vyre/wgsl.h"

/// What the commands share: how one ends, how a kernel is read, where text goes.
namespace vyre::cli {

/// Exit statuses; scripts rely on them.
enum class Exit : int {
  done = 0,
  faulty_kernel = 1,  ///< or it trapped
  wrong_command = 2,  ///< or its data
  device_failed = 3,  ///< or there is none such
};

/// The status that an error of this kind ends a command with.
Exit exit_of(const Error& error);

/// Which option repairs the error; empty if none is known.
std::string hint_for(const Error& error);

/// Ends the command: thrown anywhere, reported by `main`.
class Failure : public std::exception {
 public:
  Failure(Exit status, std::vector<Error> errors) : status_(status), errors_(std::move(errors)) {}
  explicit Failure(Error error) : status_(exit_of(error)), hint_(hint_for(error)) {
    errors_.push_back(std::move(error));
  }
  [[nodiscard]] Exit status() const { return status_; }
  [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  Exit status_;
  std::vector<Error> errors_;
  std::string hint_;
};

/// The value, or the end of the command.
template <typename T>
T must(Result<T> result) {
  if (!result) throw Failure(std::move(result).error());
  return *std::move(result);
}

/// Which program a command is about.
struct KernelWords {
  std::vector<std::string> files;
  std::string entry;                   ///< empty: the only one
  std::vector<std::string> constants;  ///< CONST=VALUE
};

std::vector<Source> read_sources(const KernelWords& words);
std::vector<std::pair<std::string, ConstantValue>> read_constants(const KernelWords& words);
ValidProgram read_kernel(const KernelWords& words);

/// To standard output; a failure to write is found by `finish_output`.
void print(std::string_view text);
/// "vyre: …" on standard error.
void say(std::string_view text);
/// Everything printed has arrived, or the end of the command.
void finish_output();

}  // namespace vyre::cli
