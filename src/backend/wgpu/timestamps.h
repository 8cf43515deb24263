// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "backend/wgpu/gpu.h"
#include "runtime/driver.h"

/// How long the device took: each pass by its own marks, the copies by marks around them.
/// What the device cannot measure stays 0.
namespace vyre::wgpu {

/// The marks of up to `kJobs` timed jobs of one submission: a query set, and where it is resolved.
class Timestamps {
 public:
  /// Jobs of one set; a library's sets hold at least 4096 marks.
  static constexpr std::uint32_t kJobs = 1024;

  /// The device's marks of one job, in its own ticks.
  struct Marks {
    std::uint64_t pass_begin = 0;
    std::uint64_t pass_end = 0;
    std::uint64_t copies_begin = 0;
    std::uint64_t copies_end = 0;
  };

  /// REQUIRES: the device has timestamps.
  static Result<std::unique_ptr<Timestamps>> make(std::shared_ptr<const Gpu> gpu,
                                                  std::uint32_t jobs);

  [[nodiscard]] bool is_full() const { return jobs_.size() == capacity_; }
  /// True if a job has marks.
  [[nodiscard]] bool has_marks() const { return marks_ != 0; }
  /// Ready for another submission.
  void reset();
  /// A job's place.  REQUIRES: not full.
  std::uint32_t add(bool runs);
  [[nodiscard]] bool has_marks(std::uint32_t job) const;
  /// For the descriptor of the job's pass; lives until the next call.
  const WGPUPassTimestampWrites* pass_writes(std::uint32_t job);
  /// Both, in this order.
  void mark_copies_begin(WGPUCommandEncoder encoder, std::uint32_t job) const;
  void mark_copies_end(WGPUCommandEncoder encoder, std::uint32_t job) const;
  /// After all marks.
  void record_resolve(WGPUCommandEncoder encoder) const;
  /// After that: the job's marks as `Marks`; those that it does not have are left as they are.
  void record_copy(WGPUCommandEncoder encoder, std::uint32_t job, const BlockRange& to) const;

 private:
  friend class TimestampPool;
  /// Every mark of the set is written: a driver may wait for one that is not for ever.
  static constexpr std::uint32_t kNoMarks = ~std::uint32_t{0};
  struct Job {
    std::uint32_t pass = kNoMarks;  ///< the first of its two marks
    std::uint32_t copies = kNoMarks;
  };

  std::shared_ptr<const Gpu> gpu_;
  std::uint32_t capacity_ = 0;
  QuerySetHandle set_;
  BufferHandle resolved_;
  WGPUPassTimestampWrites pass_writes_ = {};
  std::vector<Job> jobs_;
  std::uint32_t marks_ = 0;
};

/// Sets of marks that are used again.  Any thread.
class TimestampPool : public std::enable_shared_from_this<TimestampPool> {
 private:
  struct Busy;
  struct Dropped {
    void operator()(Busy* busy) const;
  };

 public:
  /// A set on its way, with what its callback needs.
  using BusyHandle = std::unique_ptr<Busy, Dropped>;

  explicit TimestampPool(std::shared_ptr<const Gpu> gpu) : gpu_(std::move(gpu)) {}

  /// A set with room for `jobs` jobs, or for as many as a set can have.
  Result<std::unique_ptr<Timestamps>> take(std::size_t jobs);
  /// Before the submit, after which no memory may be missing.
  BusyHandle lend(std::unique_ptr<Timestamps> timestamps);
  /// After the submit: the set is free again when the device is done with it.
  void give_back_when_done(BusyHandle busy);

 private:
  static void on_done(WGPUQueueWorkDoneStatus, WGPUStringView, void* busy, void*);
  void give_back(std::unique_ptr<Timestamps> timestamps);

  std::shared_ptr<const Gpu> gpu_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Timestamps>> idle_;
};

/// `marks` as nanoseconds; a time that was not taken, or took no tick, is 0.
DeviceTimes to_times(const Timestamps::Marks& marks, bool ran, double nanoseconds_per_tick);

}  // namespace vyre::wgpu
