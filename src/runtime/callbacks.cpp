// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/callbacks.h"

#include "base/guarded.h"
#include "runtime/recorder.h"

// Callbacks of finished jobs.  They run on the thread that found the job finished, under no lock of
// ours, one after the other: what a callback sets off is queued behind it, so a chain of callbacks
// that submit does not grow the stack.
namespace vyre {
namespace {

struct Queue {
  CallbackList waiting;
  bool running = false;  ///< a frame further down takes them in turn
};
thread_local Queue t_queue;

}  // namespace

void Recorder::queue_callbacks(Submission& submission) {
  while (auto callback = submission.callbacks_.pop()) {
    submission.retain();
    callback->pending = Pending(JobRef(&submission, callback->part));
    t_queue.waiting.append(std::move(callback));
  }
}

void Recorder::run_callbacks() noexcept {
  if (t_queue.running || t_queue.waiting.empty()) return;
  t_queue.running = true;
  while (const auto callback = t_queue.waiting.pop())
    callback->call(callback->pending);
  t_queue.running = false;
}

void Recorder::drop_callbacks() {
  if (!t_queue.running) t_queue.waiting.clear();
}

/// A callback that the host has no memory to keep is called from here, at the end of a wait.
void Recorder::on_ready(const JobRef& job, std::function<void(const Pending&)> callback) {
  auto kept = guarded([] { return std::make_unique<Callback>(); },
                      [] { return std::unique_ptr<Callback>(); });
  if (kept == nullptr) {
    wait(*job.submission(), job.submission()->deadline());
    return callback(Pending(job));
  }
  kept->part = job.index();
  kept->call = std::move(callback);
  {
    const std::lock_guard lock(mutex_);
    if (job.submission()->state() == Submission::State::running)
      return job.submission()->callbacks_.append(std::move(kept));
  }
  kept->pending = Pending(job);
  t_queue.waiting.append(std::move(kept));
  run_callbacks();
}

}  // namespace vyre
