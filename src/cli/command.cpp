// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/command.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "vyre/diagnostic.h"

#include "base/file.h"
#include "cli/number.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

/// Override constants are of any scalar type: read as the widest that can hold the text.
std::optional<ConstantValue> parse_constant(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  if (const auto whole = parse_number_of(ScalarType::i64, text))
    return std::get<std::int64_t>(*whole);
  if (const auto whole = parse_number_of(ScalarType::u64, text))
    return std::get<std::uint64_t>(*whole);
  const auto real = parse_double(text);
  return real && std::isfinite(*real) ? std::optional<ConstantValue>(*real) : std::nullopt;
}

/// No kernel is as long; a device or a pipe may be.
constexpr std::uint64_t kMostText = std::uint64_t{1} << 28;

/// What was meant as data, most likely: no text has a zero byte.
Status check_text(const Source& source, const std::string& file) {
  const std::size_t zero = source.text.find('\0');
  const bool is_data = has_ending(source.name, ".npy") || has_ending(source.name, ".png");
  if (zero == std::string::npos && !is_data) return Ok{};
  return wrong("not-text",
               ticked(source.name) + " is no WGSL text" +
                   (zero == std::string::npos ? "" : ": byte " + std::to_string(zero) + " is 0"),
               "give data with -i NAME=" + file);
}

Result<Source> read_source(const std::string& file) {
  if (file != "-") {
    VYRE_TRY(auto text, read_text_file(file, kMostText));
    return Source{file, std::move(text)};
  }
  VYRE_TRY(auto text, read_standard_text(kMostText));
  return Source{"<stdin>", std::move(text)};
}

/// Faults of what was typed beside the kernel, which the front end finds.
bool is_of_command(const Diagnostic& diagnostic) {
  return diagnostic.code == Code::unknown_entry_point || diagnostic.code == Code::invalid_override;
}

}  // namespace

Exit exit_of(const Error& error) {
  const Diagnostics& faults = error.diagnostics();
  if (!faults.empty()) {
    const bool mine = std::all_of(faults.begin(), faults.end(), is_of_command);
    return mine ? Exit::wrong_command : Exit::faulty_kernel;
  }
  switch (error.kind()) {
    case ErrorKind::invalid_argument:
    case ErrorKind::io: return Exit::wrong_command;
    case ErrorKind::trapped: return Exit::faulty_kernel;
    case ErrorKind::unsupported:
    case ErrorKind::unavailable:
    case ErrorKind::out_of_memory:
    case ErrorKind::device_lost:
    case ErrorKind::timeout:
    case ErrorKind::compile_failed: return Exit::device_failed;
  }
  return Exit::device_failed;
}

std::string hint_for(const Error& error) {
  if (exit_of(error) != Exit::wrong_command || error.diagnostics().empty()) return {};
  const Diagnostic& first = error.diagnostics()[0];
  if (first.code == Code::unknown_entry_point) return "-e NAME chooses an entry point";
  const bool missing = first.message.ends_with("has no value");
  return missing ? "-c CONST=VALUE sets an override constant" : "";
}

std::vector<Source> read_sources(const KernelWords& words) {
  std::vector<Source> sources;
  if (std::count(words.files.begin(), words.files.end(), "-") > 1)
    throw Failure(wrong("usage", "standard input is given twice as a kernel"));
  for (const std::string& file : words.files) {
    sources.push_back(must(read_source(file)));
    if (auto text = check_text(sources.back(), file); !text) throw Failure(std::move(text).error());
  }
  return sources;
}

std::vector<std::pair<std::string, ConstantValue>> read_constants(const KernelWords& words) {
  std::vector<std::pair<std::string, ConstantValue>> constants;
  std::unordered_set<std::string> names;
  for (const std::string& word : words.constants) {
    Pair pair = must(split_pair(word, "-c CONST=VALUE"));
    const auto value = parse_constant(pair.value);
    if (!value)
      throw Failure(wrong(
          "bad-value", ticked(pair.value) + " of constant " + ticked(pair.name) + " is no number"));
    if (!names.insert(pair.name).second)
      throw Failure(wrong("usage", "constant " + ticked(pair.name) + " is given twice with -c",
                          "leave one of them out"));
    constants.emplace_back(std::move(pair.name), *value);
  }
  return constants;
}

ValidProgram read_kernel(const KernelWords& words) {
  const std::vector<Source> sources = read_sources(words);
  auto program = parse_wgsl(sources, {words.entry, read_constants(words)});
  if (program) return *std::move(program);
  // Where there is no entry point at all, no option would help.
  const auto entries = wgsl_entry_points(sources);
  if (entries && entries->empty()) throw Failure(Exit::faulty_kernel, {std::move(program).error()});
  throw Failure(std::move(program).error());
}

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void say(std::string_view text) {
  std::fprintf(stderr, "vyre: %.*s\n", static_cast<int>(text.size()), text.data());
}

void finish_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  const std::string reason = std::strerror(errno);
  std::clearerr(stdout);
  throw Failure(Error(ErrorKind::io, "cannot-write", "cannot write standard output: " + reason));
}

}  // namespace vyre::cli
