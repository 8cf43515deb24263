// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/recorder.h"

// Callbacks of finished jobs.  They run on the thread that found the job finished, under no lock of
// ours, one after the other: what a callback sets off is queued behind it, so a chain of callbacks
// that submit does not grow the stack.
namespace vyre {
namespace {

struct Callback {
  Pending pending;
  std::function<void(const Pending&)> call;
};

struct Queue {
  std::vector<Callback> waiting;
  std::size_t next = 0;
  bool running = false;  ///< a frame further down takes them in turn
};
thread_local Queue t_queue;

}  // namespace

void Recorder::queue_callbacks(Submission& submission) {
  for (auto& [part, call] : submission.callbacks_) {
    submission.retain();
    t_queue.waiting.push_back({Pending(JobRef(&submission, part)), std::move(call)});
  }
  submission.callbacks_.clear();
}

void Recorder::run_callbacks() {
  if (t_queue.running || t_queue.waiting.empty()) return;
  t_queue.running = true;
  while (t_queue.next < t_queue.waiting.size()) {
    const Callback callback = std::move(t_queue.waiting[t_queue.next++]);
    if (t_queue.next == t_queue.waiting.size()) {
      t_queue.waiting.clear();
      t_queue.next = 0;
    }
    callback.call(callback.pending);
  }
  t_queue.running = false;
}

void Recorder::drop_callbacks() {
  if (!t_queue.running) t_queue = {};
}

void Recorder::on_ready(const JobRef& job, std::function<void(const Pending&)> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (job.submission()->state() == Submission::State::running) {
      job.submission()->callbacks_.emplace_back(job.index(), std::move(callback));
      return;
    }
  }
  t_queue.waiting.push_back({Pending(job), std::move(callback)});
  run_callbacks();
}

}  // namespace vyre
