// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include "runtime/recorder.h"
#include "runtime/sequence.h"
#include "runtime/trace.h"

// What the recorder reports to a trace beyond the phases of its own calls.
namespace vyre {

void Recorder::trace_device() {
  if (options_.trace == nullptr) return;
  const DeviceInfo& info = driver_->info();
  trace_row_ = options_.trace->add_row(info.selector() + " " + info.name);
}

/// A compilation that has just ended; without a time there was none.
void Recorder::trace_compiled(const Part& part) const {
  if (options_.trace == nullptr || !part.timing.compile) return;
  const auto now = Clock::now();
  options_.trace->span("compile", part.label, now - *part.timing.compile, now);
}

void Recorder::trace_begin(const Submission& submission, Clock::time_point handed) const {
  if (options_.trace == nullptr) return;
  options_.trace->begin_flight(&submission, first_label(submission), handed);
}

/// The kernels of a sequence, one after the other up to `end`.
void Recorder::trace_steps(const Part& part, Clock::time_point end) const {
  for (std::size_t i = part.step_timings.size(); i-- > 0;) {
    const auto kernel = part.step_timings[i].kernel;
    if (kernel) end -= *kernel;
  }
  for (std::size_t i = 0; i < part.step_timings.size(); ++i) {
    const auto kernel = part.step_timings[i].kernel;
    if (!kernel) continue;
    end += *kernel;
    options_.trace->device_span(trace_row_, "kernel", part.sequence->steps[i]->label, *kernel, end);
  }
}

/// Clocks of devices cannot be related to the host's: work is drawn as if it had ended when the
/// host saw its end.
void Recorder::trace_end(const Submission& submission, Clock::time_point seen) const {
  if (options_.trace == nullptr) return;
  options_.trace->end_flight(&submission, first_label(submission), seen);
  for (std::size_t i = 0; i < submission.used_parts_; ++i) {
    const Part& part = submission.parts_[i];
    const auto kernel = part.timing.kernel;
    const auto readback = part.timing.readback;
    const auto after = readback.value_or(std::chrono::nanoseconds(0));
    if (!part.step_timings.empty())
      trace_steps(part, seen - after);
    else if (kernel)
      options_.trace->device_span(trace_row_, "kernel", part.label, *kernel, seen - after);
    if (readback) options_.trace->device_span(trace_row_, "readback", part.label, *readback, seen);
  }
}

}  // namespace vyre
