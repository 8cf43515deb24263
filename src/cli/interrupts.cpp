// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/interrupts.h"

#include <csignal>
#include <thread>
#include <unistd.h>

#include "base/file.h"
#include "cli/progress.h"

namespace vyre::cli {
namespace {

bool ends_the_program(int signal, const sigset_t& blocked) {
  struct sigaction action = {};
  return sigismember(&blocked, signal) == 0 && ::sigaction(signal, nullptr, &action) == 0 &&
         action.sa_handler == SIG_DFL;
}

[[noreturn]] void end_by(int signal) {
  constexpr int kStatusOfSignals = 128;
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  std::raise(signal);
  ::_exit(kStatusOfSignals + signal);  // the first process of a container outlives its signals
}

}  // namespace

void watch_signals() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  sigset_t watched;
  sigemptyset(&watched);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU})
    if (ends_the_program(signal, blocked)) sigaddset(&watched, signal);
  pthread_sigmask(SIG_BLOCK, &watched, nullptr);  // threads inherit it
  std::thread([watched] {
    int signal = 0;
    while (sigwait(&watched, &signal) != 0) {
    }
    abandon_writes();
    Progress::wipe();
    end_by(signal);
  }).detach();
}

}  // namespace vyre::cli
