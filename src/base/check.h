// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string_view>

/// Checks for bugs of ours.
///
/// `VYRE_CHECK(condition)` is always on.  When it fails, the sink is told and the process aborts;
/// the optimiser never takes it as an assumption.  No input, however malformed, may reach it:
/// faults of a program are diagnostics, faults of the world are errors.  `end_program` is also
/// where a caller ends who uses an error as a value (`Result`).
namespace vyre {

/// Where a failed check is reported, on the thread that failed, before the process aborts.
using CheckSink = void (*)(std::string_view message);

/// Replaces the sink and returns the former one; null restores the default, which writes one line
/// to standard error.  May be called from any thread.
CheckSink set_check_sink(CheckSink sink);

/// Reports `message` and aborts.
[[noreturn]] void end_program(std::string_view message);
/// Reports "file:line: check failed: what" and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* what);

}  // namespace vyre

#define VYRE_CHECK(condition)                                                               \
  (__builtin_expect(!(condition), 0) ? ::vyre::check_failed(__FILE__, __LINE__, #condition) \
                                     : void())
/// The end of a switch that names every enumerator, and other places no path leads to.
#define VYRE_UNREACHABLE() ::vyre::check_failed(__FILE__, __LINE__, "unreachable")
