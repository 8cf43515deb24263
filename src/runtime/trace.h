// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/result.h"

/// What happened when, as a file that Perfetto and chrome://tracing open.
///
/// Rows are threads of the host and devices.  Every event is a line and is in the file when the
/// call that reports it returns; the file is whole JSON at all times, and one that was cut short
/// still opens.  Where it cannot be written any more, the trace ends and nothing else does;
/// `failure` tells.  To report throws nothing: an event that the host has no memory for is left
/// out.  Any thread.
namespace vyre {

class Trace {
 public:
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  /// The trace written to `path`, begun by the first call that names it; it lives as long as the
  /// process.  "%p" in the path stands for the number of the process.  Fails with `io` where the
  /// file cannot be made or written.
  static Result<Trace*> to(const std::string& path);
  /// The same for the file that VYRE_TRACE names; null if it names none.
  static Result<Trace*> from_environment();

  /// Why a trace to a file of this process ended before its time, if one did.
  static std::optional<Error> failure();

  explicit Trace(int file, std::string path = {});  ///< takes over an open file
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;
  ~Trace();

  /// A row beside those of the threads.
  std::uint32_t add_row(std::string_view name);
  /// What the calling thread did.  Spans of a thread that overlap must be nested.
  void span(std::string_view name, std::string_view label, Time begin, Time end);
  /// What a device did for `length` up to `end`; moved to a later time if the row is still busy
  /// then.
  void device_span(std::uint32_t row,
                   std::string_view name,
                   std::string_view label,
                   std::chrono::nanoseconds length,
                   Time end);
  /// Something on its way, from one call to the other; `id` is free again afterwards.
  void begin_flight(const void* id, std::string_view label, Time at);
  void end_flight(const void* id, std::string_view label, Time at);

 private:
  void flight(char phase, const void* id, std::string_view label, Time at);
  void begin_event(char phase, std::string_view name, std::uint32_t row, Time at);
  void add_label(std::string_view label);
  void end_span(std::string_view label, std::chrono::nanoseconds length);
  void name_row(std::uint32_t row, std::string_view name);
  void write_event();
  [[nodiscard]] std::uint32_t thread_row();

  std::mutex mutex_;
  int file_;
  std::string path_;
  std::optional<Error> failure_;  ///< what ended it
  std::uint64_t size_ = 0;        ///< of the file, without what closes the list
  Time start_ = Clock::now();
  std::string event_;  ///< the one being written
  std::vector<bool> named_threads_;
  std::vector<Time> busy_until_;  ///< by row of a device
};

/// Reports its own lifetime.  Costs one branch where there is no trace.
class TraceSpan {
 public:
  /// REQUIRES: what `label` refers to lives as long.
  TraceSpan(Trace* trace, std::string_view name, std::string_view label = {})
      : trace_(trace), name_(name), label_(label) {
    if (trace_ != nullptr) begin_ = Trace::Clock::now();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;
  ~TraceSpan() {
    if (trace_ != nullptr) trace_->span(name_, label_, begin_, Trace::Clock::now());
  }

 private:
  Trace* trace_;
  std::string_view name_;
  std::string_view label_;
  Trace::Time begin_;
};

}  // namespace vyre
