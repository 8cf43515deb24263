// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/trace.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

#include "base/at_end.h"
#include "base/guarded.h"
#include "base/json.h"

namespace vyre {
namespace {

/// Rows of devices come after those of any number of threads that is likely.
constexpr std::uint32_t kFirstDevice = 1000000;
constexpr std::string_view kEnd = "\n]\n";

std::string with_process(std::string path) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p"))
    path.replace(at, 2, std::to_string(::getpid()));
  return path;
}

void append(std::string& json, std::uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  json.append(digits, end);
}

/// The unit of the format: microseconds, to the nanosecond.
void append_time(std::string& json, std::chrono::nanoseconds time) {
  const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(time.count(), 0));
  append(json, count / 1000);
  const std::uint64_t rest = count % 1000;
  json += '.';
  for (const std::uint64_t digit : {rest / 100, rest / 10 % 10, rest % 10})
    json += static_cast<char>('0' + digit);
}

/// Writes all of `text` at `offset`; false where the system does not.
bool write_at(int file, std::string_view text, std::uint64_t offset) {
  while (!text.empty()) {
    const ssize_t put = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) errno = ENOSPC;
    if (put <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
  return true;
}

/// By file.
struct Traces {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Trace>> all;
};

/// Left to the system at the end of the process: devices may still report.
Traces& traces() {
  static auto* traces = new Traces();
  return *traces;
}

Error cannot_write(std::string_view code, const std::string& file, int reason) {
  return {ErrorKind::io, code, "cannot write the trace `" + file + "`: " + std::strerror(reason),
          "let VYRE_TRACE or OpenOptions::trace name a file that can be written"};
}

}  // namespace

Result<Trace*> Trace::to(const std::string& path) {
  const std::string file = with_process(path);
  const std::lock_guard lock(traces().mutex);
  std::unique_ptr<Trace>& trace = traces().all[file];
  if (trace == nullptr) {
    int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0) return cannot_write("cannot-open", file, errno);
    const AtEnd closed([&] {
      if (descriptor >= 0) ::close(descriptor);
    });
    auto begun = std::make_unique<Trace>(descriptor, file);
    descriptor = -1;  // the trace's own
    if (begun->failure_) return *std::move(begun->failure_);
    trace = std::move(begun);
  }
  return trace.get();
}

Result<Trace*> Trace::from_environment() {
  const char* const path = std::getenv("VYRE_TRACE");
  if (path == nullptr || *path == '\0') return static_cast<Trace*>(nullptr);
  return to(path);
}

std::optional<Error> Trace::failure() {
  const std::lock_guard lock(traces().mutex);
  for (const auto& [path, trace] : traces().all) {
    if (trace == nullptr) continue;
    const std::lock_guard trace_lock(trace->mutex_);
    if (trace->failure_) return trace->failure_;
  }
  return std::nullopt;
}

Trace::Trace(int file, std::string path) : file_(file), path_(std::move(path)) {
  begin_event('M', "process_name", 0, start_);
  event_ += ",\"args\":{\"name\":\"vyre\"}";
  write_event();
}

Trace::~Trace() {
  if (file_ >= 0) ::close(file_);
}

/// REQUIRES: the lock, as do all that follow but the public ones.  An event that the host has no
/// memory for is left out: `event_` is written once it is whole.
void Trace::begin_event(char phase, std::string_view name, std::uint32_t row, Time at) {
  event_.clear();
  event_ += "{\"ph\":\"";
  event_ += phase;
  event_ += "\",\"name\":";
  append_json(event_, name);
  event_ += ",\"pid\":";
  append(event_, static_cast<std::uint64_t>(::getpid()));
  event_ += ",\"tid\":";
  append(event_, row);
  event_ += ",\"ts\":";
  append_time(event_, at - start_);
}

void Trace::add_label(std::string_view label) {
  if (label.empty()) return;
  event_ += ",\"args\":{\"label\":";
  append_json(event_, label);
  event_ += '}';
}

/// The new event takes the place of what closed the list, and closes it again.
void Trace::write_event() {
  if (file_ < 0) return;
  event_ += '}';
  event_.insert(0, size_ == 0 ? "[\n" : ",\n");
  const std::size_t length = event_.size();
  event_ += kEnd;
  if (write_at(file_, event_, size_)) {
    size_ += length;
    return;
  }
  failure_ = guarded([&] { return cannot_write("cannot-write", path_, errno); },
                     [] { return Error::host_memory(); });
  ::close(file_);
  file_ = -1;
}

void Trace::name_row(std::uint32_t row, std::string_view name) {
  begin_event('M', "thread_name", row, start_);
  event_ += ",\"args\":{\"name\":";
  append_json(event_, name);
  event_ += '}';
  write_event();
}

std::uint32_t Trace::thread_row() {
  static std::atomic<std::uint32_t> threads = 0;
  thread_local const std::uint32_t kRow = threads.fetch_add(1, std::memory_order_relaxed);
  if (named_threads_.size() <= kRow) named_threads_.resize(kRow + std::size_t{1});
  if (!named_threads_[kRow]) name_row(kRow, "thread " + std::to_string(kRow));
  named_threads_[kRow] = true;
  return kRow;
}

std::uint32_t Trace::add_row(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t row = kFirstDevice + static_cast<std::uint32_t>(busy_until_.size());
  busy_until_.push_back(start_);
  name_row(row, name);
  return row;
}

/// REQUIRES: the event has begun.
void Trace::end_span(std::string_view label, std::chrono::nanoseconds length) {
  event_ += ",\"dur\":";
  append_time(event_, length);
  add_label(label);
  write_event();
}

void Trace::span(std::string_view name, std::string_view label, Time begin, Time end) {
  const std::lock_guard lock(mutex_);
  guarded(
      [&] {
        begin_event('X', name, thread_row(), begin);
        end_span(label, end - begin);
      },
      [] {});
}

void Trace::device_span(std::uint32_t row,
                        std::string_view name,
                        std::string_view label,
                        std::chrono::nanoseconds length,
                        Time end) {
  const std::lock_guard lock(mutex_);
  Time& busy = busy_until_[row - kFirstDevice];
  const Time begin = std::max(busy, end - length);
  busy = begin + length;
  guarded(
      [&] {
        begin_event('X', name, row, begin);
        end_span(label, length);
      },
      [] {});
}

void Trace::flight(char phase, const void* id, std::string_view label, Time at) {
  const std::lock_guard lock(mutex_);
  guarded(
      [&] {
        begin_event(phase, "in flight", thread_row(), at);
        event_ += ",\"cat\":\"flight\",\"id\":";
        append(event_, reinterpret_cast<std::uintptr_t>(id));
        add_label(label);
        write_event();
      },
      [] {});
}

void Trace::begin_flight(const void* id, std::string_view label, Time at) {
  flight('b', id, label, at);
}

void Trace::end_flight(const void* id, std::string_view label, Time at) {
  flight('e', id, label, at);
}

}  // namespace vyre
