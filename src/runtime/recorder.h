// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "vyre/device.h"

#include "base/blob_cache.h"
#include "base/fork.h"
#include "runtime/host_copy.h"
#include "runtime/resident.h"
#include "runtime/sequence.h"
#include "runtime/submission.h"
#include "runtime/trace.h"

/// The one recorder behind every dispatch, on every device.
///
/// `submit` takes jobs through these rooms, one file each:
///
///     plan       everything that can be wrong                        (plan)
///     place      sizes and places of all bytes                       (placement, staging)
///     admit      room in the budget, or a wait for it                (flight)
///     acquire    blocks from the pool                                (staging)
///     upload     host bytes into mapped blocks                       (uploads)
///     bind       ranges, through the cache                           (bind_groups)
///     clear      what recycled memory must not leak                  (clears)
///     read back  one block, one map                                  (readback)
///     submit     one command list a job, one submission              (submit)
///     finish     trap records first, then views of what came back    (traps, finish)
///     call back  whoever asked to be told, under no lock             (callbacks)
///
/// Any thread may submit and wait.  `mutex_` guards the pool, the caches and the shelves of
/// submissions; host copies, compilation and submission run outside it.  The driver outlives
/// everything here.
///
/// Where the host has no memory a call throws (base/guarded.h), and then nothing of it is held or
/// runs.  From a driver's `submit` on, and in what takes finished work in, nothing throws.
namespace vyre {

struct Job {
  std::shared_ptr<Compiled> compiled;
  std::span<const Input> inputs;
  const DispatchOptions* options = nullptr;
  Result<Pending>* result = nullptr;  ///< where `submit` tells what became of it
};

/// The label that the job is given, or its program's name.
std::string_view label_of(const Job& job);

struct RecorderOptions {
  PoolPolicy pool = {};
  std::uint64_t flight_bytes = default_budget();  ///< in flight or held by Outputs
  std::size_t flight_submissions = 1024;          ///< on their way at once
  std::chrono::nanoseconds spin = std::chrono::microseconds(300);
  std::uint64_t kernel_bytes = std::uint64_t{256} << 20;  ///< of compiled programs, about
  std::uint64_t chunk_bytes = std::uint64_t{4} << 20;  ///< larger transfers are streamed in chunks
  BlobCache* cache = nullptr;  ///< where kernels are kept; outlives the recorder
  Trace* trace = nullptr;      ///< where events go; outlives the recorder

  /// 16 GiB, or half of the host's memory if that is less.
  static std::uint64_t default_budget();
};

class Recorder : public std::enable_shared_from_this<Recorder> {
 public:
  using Clock = std::chrono::steady_clock;

  Recorder(std::unique_ptr<Driver> driver, RecorderOptions options);
  ~Recorder();
  /// The shared blocks that every dispatch may need.
  Status start();
  /// A program's kernels and caches on this device.
  std::shared_ptr<Compiled> adopt(const ValidProgram& program, bool strict_float);
  /// The device needs the recorder no more, and never waits for it: a thread of its own collects
  /// what still runs, and ends with the last of it.
  static void let_go(std::shared_ptr<Recorder> recorder);

  [[nodiscard]] Driver& driver() const { return *driver_; }
  /// The error of calls in a child of the process that opened the device.
  [[nodiscard]] Status check_process() const;
  [[nodiscard]] bool is_foreign() const { return origin_.is_foreign(); }

  /// Plans and submits in one submission; one result each.  A job that is refused is left out and
  /// spoils none of the others.  `waits`: the caller will wait for the result at once.
  void submit(std::span<const Job> jobs, bool waits);

  // Sequences (sequence.cpp).
  /// Plans, compiles and binds; the step is ready to launch.
  Result<std::shared_ptr<const SequenceStep>> make_step(const Job& job);
  Result<Pending> replay(std::shared_ptr<const RecordedSequence> sequence,
                         const SequenceOptions& options,
                         bool waits);

  /// Takes in what the device is done with and runs callbacks; never blocks.
  void collect();
  /// Waits until `submission` is finished; false if `deadline` passed first.
  bool wait(Submission& submission, Clock::time_point deadline);
  /// What the job gave.  REQUIRES: its submission is finished.
  Result<Outputs> result(const JobRef& job);
  /// The error of a job whose deadline passed; it stays in flight, its memory in quarantine.
  Error give_up(const JobRef& job, std::optional<std::chrono::nanoseconds> waited);
  void on_ready(const JobRef& job, std::function<void(const Pending&)> callback);

  // Resident buffers (resident.cpp).
  Result<Loan> allocate(std::uint64_t bytes);
  void release(PooledBlock block);
  Status write(DriverBlock& block, std::span<const Buffer::Upload> ranges);
  Status read(DriverBlock& block, std::span<const Buffer::Download> ranges);
  /// Mapped memory for one input.
  Result<Loan> stage(std::uint64_t bytes);

  [[nodiscard]] DeviceStats stats() const;
  void trim();

 private:
  friend class Submission;

  /// Bytes that a submission needs in its shared blocks.
  struct Totals {
    std::uint64_t upload = 0;
    std::uint64_t upload_bound = 0;
    std::uint64_t readback = 0;
    std::uint64_t readback_bound = 0;
  };

  Submission* take_submission();
  void recycle(Submission* submission);
  void give_back_blocks(Submission& submission);

  static const Part* find_twin(const Submission& submission,
                               std::span<const Job> jobs,
                               std::size_t job);
  Status prepare(Part& part, const Job& job);
  Status prepare_and_place(Submission& submission,
                           std::span<const Job> jobs,
                           std::size_t job,
                           Totals& totals);
  void place(Part& part, const DispatchOptions& options, bool waits, Totals& totals);
  void place_slot(
      Part& part, std::size_t slot, const DispatchOptions& options, bool waits, Totals& totals);
  void place_marks(Part& part, std::size_t lists, Totals& totals) const;
  Status admit(Submission& submission, const Totals& totals);
  [[nodiscard]] std::uint64_t bytes_of(const Submission& submission, const Totals& totals) const;
  [[nodiscard]] Error over_budget(std::string_view label, std::uint64_t bytes) const;
  [[nodiscard]] Error device_busy(std::string_view label) const;
  // Dispatches whose grid lies in a buffer (indirect.cpp).
  Status prepare_indirect(Part& part, const Job& job);
  Result<std::shared_ptr<Compiled>> prologue_kernel();
  void place_indirect(Part& part, Totals& totals);
  [[nodiscard]] std::uint64_t told_bytes() const;
  Status acquire_indirect(Part& part);
  void upload_indirect(Submission& submission, Part& part);
  Status bind_indirect(Submission& submission, Part& part);
  void fold_ranges(Part& part) const;
  static void record_indirect(Submission& submission, Part& part);
  static Status check_indirect(const Submission& submission, Part& part);

  Result<BlockRange> range_of(SequenceStep& step, const Slot& slot);
  Result<BlockRange> own_block(SequenceStep& step, const Slot& slot, std::uint64_t bytes);
  Result<BlockRange> fixed_bytes(SequenceStep& step,
                                 const Slot& slot,
                                 std::span<const std::byte> bytes);
  Status start_replay(Submission& submission, const Totals& totals);
  void record_replay(Submission& submission, Part& part) const;
  static Status check_steps(const Submission& submission, const Part& part);
  void expose_reads(const Submission& submission, Part& part) const;

  Status acquire_blocks(Submission& submission, const Totals& totals);
  Status acquire(Submission& submission, const Totals& totals);
  Status acquire(Part& part);
  void take_staged(Part& part);
  Status upload(Submission& submission, Part& part);
  static Status check_staged(const Submission& submission, std::size_t part);
  Status bind(Submission& submission, Part& part);
  BlockRange range_of(Submission& submission, Part& part, std::size_t slot);
  void record(Submission& submission, Part& part);
  void record_clears(Submission& submission, Part& part);
  void record_readback(Submission& submission, Part& part);
  Status wait_until_idle(const Submission& submission);
  Status compile_by_launch(Submission& submission);
  Status hand_over(Submission& submission);
  Status run(Submission& submission, const Totals& totals);
  Status launch(Submission& submission);
  template <typename F>
  void for_each_upload(Submission& submission, F&& each);
  static void fail(Submission& submission, const Error& error);
  Status wait_for_late(Submission& submission);

  void take_in();
  void watch(const Submission& submission, int polls) const;
  void note_overdue();
  bool retire_one(bool orphans_only = false);
  /// True while something runs.
  [[nodiscard]] bool busy() const;
  void serve_orphans();
  [[nodiscard]] bool is_done(const Submission& submission) const;
  void finish(Submission& submission);
  [[nodiscard]] std::optional<Error> fault_of(const Submission& submission) const;
  static Status check_part(const Submission& submission,
                           Part& part,
                           const std::optional<Error>& fault);
  void finish_part(Submission& submission, Part& part, const std::optional<Error>& fault);
  static TrapReport trap_of(const Submission& submission, const Part& part);
  static Status check_trap(const Submission& submission, const Part& part);
  static TrapReport read_trap(const std::byte* record);
  static Error trap_error(const TrapReport& trap,
                          const Program& program,
                          const std::array<std::uint32_t, 3>& grid,
                          std::string_view label);
  [[nodiscard]] BlockRange marks_of(const Submission& submission,
                                    const Part& part,
                                    std::size_t list) const;
  void set_timing(const Submission& submission,
                  const Part& part,
                  std::size_t list,
                  bool ran,
                  DeviceTimes times,
                  Timing& timing) const;
  void expose_outputs(Submission& submission, Part& part);
  [[nodiscard]] Error lost_error() const;
  static Error deadline_error(const Part& part, std::chrono::nanoseconds allowed);
  void forget(std::uint64_t serial);
  static std::string_view first_label(const Submission& submission);
  static void queue_callbacks(Submission& submission);
  static void run_callbacks() noexcept;
  static void drop_callbacks();
  void give_back_inputs(Submission& submission);

  // Where there is a trace (traced.cpp).
  void trace_device();
  void trace_compiled(const Part& part) const;
  void trace_begin(const Submission& submission, Clock::time_point handed) const;
  void trace_end(const Submission& submission, Clock::time_point seen) const;
  void trace_steps(const Part& part, Clock::time_point end) const;

  Result<Loan> acquire_one(BlockUse use, std::uint64_t bytes);
  Status clear(DriverBlock& block);
  Status transfer(std::span<const BlockCopy> up, std::span<const BlockCopy> down);
  Status read_edges(DriverBlock& block,
                    std::uint64_t begin,
                    std::uint64_t end,
                    const Buffer::Upload& range,
                    std::byte* words);
  Status wait_for_view(const DriverBlock& block, Clock::time_point deadline);
  Status write_streamed(DriverBlock& block, const Buffer::Upload& range);

  // Large transfers (stream.cpp).
  [[nodiscard]] bool streams(std::uint64_t bytes) const {
    return bytes > options_.chunk_bytes && !driver_->traits().unified;
  }
  Status stream_up(DriverBlock& to,
                   std::uint64_t offset,
                   std::span<const std::byte> bytes,
                   Clock::time_point deadline);
  Status send_chunk(std::optional<Loan>& through,
                    DriverBlock& to,
                    std::uint64_t offset,
                    std::span<const std::byte> bytes,
                    Clock::time_point deadline);
  Status stream_down(DriverBlock& from,
                     std::uint64_t offset,
                     std::span<std::byte> bytes,
                     Clock::time_point deadline);
  Status ask_for_chunk(std::optional<Loan>& through,
                       DriverBlock& from,
                       std::uint64_t offset,
                       std::uint64_t size);
  void give_back_view(PooledBlock block);
  Result<std::unique_ptr<DriverBlock>> upload_constants(std::span<const std::uint32_t> words);

  Origin origin_;
  std::shared_ptr<Recorder> self_;  ///< of one that was let go, until its thread has begun
  std::unique_ptr<Driver> driver_;
  RecorderOptions options_;
  mutable std::mutex mutex_;
  Pool pool_;
  /// Bound for empty buffers: [0] read-only, [1] written.  Not the pool's, whose bytes are lent.
  std::unique_ptr<DriverBlock> zeros_[2];
  std::vector<std::unique_ptr<Submission>> all_;
  std::vector<Submission*> idle_;
  std::vector<Submission*> running_;
  std::atomic<std::size_t> flying_ = 0;  ///< how many those are, for a look without the lock
  std::shared_ptr<Compiled> prologue_;   ///< of indirect dispatches, once there was one
  std::vector<std::weak_ptr<Compiled>> compiled_;  ///< whose binding caches may name a block
  std::uint64_t flight_bytes_ = 0;
  std::atomic<std::uint32_t> late_ = 0;  ///< submissions whose deadline passed and that still run
  BindingCache::Stats binding_stats_;
  std::uint64_t submissions_ = 0;
  std::uint32_t trace_row_ = 0;
};

}  // namespace vyre
