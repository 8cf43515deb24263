// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

/// How a signal ends the program: nothing half done stays behind.
namespace vyre::cli {

/// From now on a thread of its own takes the signals that end the program (SIGINT, SIGTERM, SIGHUP,
/// SIGQUIT, SIGXCPU), removes unfinished files, wipes the line of progress, and lets the signal end
/// the program as it would have.  Signals that are ignored or blocked stay so.  REQUIRES: no other
/// thread is there yet.
void watch_signals();

}  // namespace vyre::cli
