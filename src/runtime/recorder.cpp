// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/recorder.h"

#include <pthread.h>
#include <thread>

#include "runtime/placement.h"

namespace vyre {

Recorder::Recorder(std::unique_ptr<Driver> driver, RecorderOptions options)
    : driver_(std::move(driver)),
      options_(options),
      pool_(*driver_, options.pool, [this](std::uint64_t serial) { forget(serial); }) {}

/// Running submissions hold references, so none is left here.  Idle blocks go while the binding
/// caches can still be told.
Recorder::~Recorder() {
  pool_.trim(0);
}

Status Recorder::check_process() const {
  if (!is_foreign()) return Ok{};
  return Error(ErrorKind::unavailable, "forked",
               "the device `" + driver_->info().name +
                   "` was opened before this process was forked, and belongs to its parent",
               "open devices after the fork, or start a program in the child");
}

Status Recorder::start() {
  trace_device();
  for (auto& zeros : zeros_) {
    VYRE_TRY(zeros, driver_->allocate(BlockUse::device, kZeroBytes));
    if (!driver_->traits().fresh_is_zero) VYRE_CHECK_OK(clear(*zeros));
  }
  return Ok{};
}

std::shared_ptr<Compiled> Recorder::adopt(const ValidProgram& program, bool strict_float) {
  auto compiled = std::make_shared<Compiled>(
      program, *driver_, strict_float,
      [this](std::span<const std::uint32_t> words) { return upload_constants(words); },
      options_.cache);
  const std::lock_guard lock(mutex_);
  std::erase_if(compiled_, [](const auto& weak) { return weak.expired(); });
  compiled_.push_back(compiled);
  return compiled;
}

bool Recorder::busy() const {
  const std::lock_guard lock(mutex_);
  return !running_.empty();
}

/// What somebody still holds is left to them: their calls take it in, and run its callbacks.
void Recorder::serve_orphans() {
  while (busy()) {
    driver_->poll();
    while (retire_one(true)) {
    }
    note_overdue();
    drop_callbacks();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Recorder::let_go(std::shared_ptr<Recorder> recorder) {
  if (recorder->is_foreign()) return abandon(std::move(recorder));
  recorder->collect();
  if (!recorder->busy()) return;
  const auto entry = [](void* argument) -> void* {
    const auto owned = std::move(static_cast<Recorder*>(argument)->self_);
    owned->serve_orphans();
    return nullptr;
  };
  recorder->self_ = recorder;  // what the thread takes over, and no memory may be missing here
  pthread_t thread = {};
  if (pthread_create(&thread, nullptr, entry, recorder.get()) == 0)
    pthread_detach(thread);
  else
    entry(recorder.get());  // the system has no thread left: closing waits
}

DeviceStats Recorder::stats() const {
  const std::lock_guard lock(mutex_);
  const PoolStats& pool = pool_.stats();
  const auto cache = options_.cache != nullptr ? options_.cache->stats() : BlobCache::Stats();
  return {.submissions = submissions_,
          .live_bytes = pool.lent_bytes,
          .asked_bytes = pool.asked_bytes,
          .idle_bytes = pool.idle_bytes,
          .allocations = pool.misses,
          .pool_hits = pool.hits,
          .evictions = pool.evictions,
          .binding_hits = binding_stats_.hits,
          .binding_misses = binding_stats_.misses,
          .cache_hits = cache.memory_hits + cache.file_hits,
          .cache_misses = cache.misses,
          .cache_faults = cache.faults};
}

void Recorder::trim() {
  collect();
  const std::lock_guard lock(mutex_);
  pool_.trim(0);
}

}  // namespace vyre
