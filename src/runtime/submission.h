// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vyre/dispatch.h"

#include "runtime/callbacks.h"
#include "runtime/compiled.h"
#include "runtime/indirect.h"
#include "runtime/placement.h"
#include "runtime/plan.h"
#include "runtime/pool.h"

/// A submission: one or several dispatches that go to the device together, come back in one
/// readback block, and are waited for together.
///
/// The recorder owns all submissions and uses them again, so that a dispatch allocates nothing in
/// the steady state.  `Pending` and `Outputs` hold counted references (`JobRef`); a submission is
/// recycled when no reference is left and the device is done with it.
namespace vyre {

class Recorder;
struct RecordedSequence;

/// Where one binding of the lowered program lives in one job.
struct Placed {
  Location place = Location::nothing;
  bool streamed = false;     ///< device: the supplied bytes are on their way before the submission
  bool clear = false;        ///< bytes beyond what the host supplies must be zeroed
  std::uint64_t offset = 0;  ///< in its block
  std::uint64_t bound = 0;   ///< bytes bound
  std::uint64_t staged = 0;  ///< device: offset of the supplied bytes in the upload block
  std::uint32_t block = 0;   ///< device, shared: index into `Part::blocks`
};

/// A range of the readback block that belongs to one output.
struct Readback {
  std::uint32_t binding = 0;
  std::uint64_t offset = 0;  ///< in the readback block, 4-aligned
  std::uint64_t skip = 0;    ///< bytes before the window's first
  std::uint64_t size = 0;    ///< bytes of the window
};

/// One dispatch of a submission.
struct Part : PlannedJob {
  DriverBlock* launch_block = nullptr;  ///< where `words` lie on the device by now, if they do
  std::vector<Placed> placed;           ///< one per slot
  /// An equal job before it in the submission, whose launches do for both; then what follows is
  /// unused.
  const Part* twin = nullptr;
  std::vector<BlockCopy> uploads;
  bool in_order = false;  ///< a caller's buffer is cleared, which earlier jobs may use
  Indirect indirect;
  std::vector<BlockCopy> downloads;
  std::vector<Readback> readbacks;
  std::vector<Outputs::Item> items;
  std::vector<const HeldElements*> item_types;  ///< by item, what its views are compared with
  std::optional<std::uint64_t> trap;            ///< offset of the trap record in the readback block
  std::shared_ptr<const RecordedSequence> sequence;  ///< a replay; then what is above is unused
  std::vector<JobReport> step_reports;
  std::vector<DeviceTimes> step_times;
  std::vector<Timing> step_timings;
  JobReport report;
  std::optional<std::uint64_t> marks;  ///< offset of its times' marks in the readback block
  DeviceTimes times;
  Timing timing;
  bool timed = false;
  std::optional<Error> error;  ///< why this part has no outputs

  /// True if it takes nothing of its own but launches over buffers that stay on the device.
  [[nodiscard]] bool is_settled() const;
  /// False if it is refused, or another's plan does.
  [[nodiscard]] bool takes_blocks() const { return !error && twin == nullptr; }
  void reset();

 private:
  void reset_plan();
};

class Submission {
 public:
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release();

  enum class State : std::uint8_t {
    idle,  ///< on the recorder's shelf, or being recorded
    running,
    finished,  ///< results or errors are in the parts
  };
  [[nodiscard]] State state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] const Part& part(std::uint32_t i) const { return parts_[i]; }
  [[nodiscard]] Recorder& recorder() const { return *recorder_; }
  [[nodiscard]] std::chrono::steady_clock::time_point deadline() const { return deadline_; }

 private:
  friend class Recorder;

  std::shared_ptr<Recorder> recorder_;  ///< null while idle, so that the recorder can die
  std::atomic<std::uint32_t> references_{0};
  std::atomic<State> state_{State::idle};
  std::vector<Part> parts_;
  std::size_t used_parts_ = 0;
  PooledBlock upload_;          ///< staged bytes to copy from
  PooledBlock upload_bound_;    ///< inputs that kernels read in place
  PooledBlock readback_;        ///< one block for all that is copied back
  PooledBlock readback_bound_;  ///< outputs that kernels write in place
  std::uint64_t bytes_ = 0;     ///< of all blocks: this submission's share of the budget
  std::vector<CommandList> lists_;
  Signal done_;
  std::atomic<bool> stop_{false};
  bool waits_ = false;  ///< the submitter waits at once
  bool late_ = false;   ///< its deadline passed: later submissions wait for it
  std::chrono::steady_clock::time_point started_;
  std::chrono::steady_clock::time_point deadline_;
  std::chrono::nanoseconds timeout_{};  ///< what the callers allowed, compilation not counted
  CallbackList callbacks_;
};

}  // namespace vyre
