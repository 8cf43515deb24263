// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/thread_pool.h"

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace vyre {

ThreadPool::ThreadPool(unsigned concurrency) {
  if (concurrency == 0) concurrency = std::max(1U, std::thread::hardware_concurrency());
  start(concurrency - 1);
}

void ThreadPool::start(unsigned threads) {
  threads_.resize(threads);  // before any thread starts: they keep pointers to their elements
  const auto entry = [](void* argument) -> void* {
    const auto* thread = static_cast<const Thread*>(argument);
    thread->pool->serve(thread->worker);
    return nullptr;
  };
  unsigned started = 0;
  for (; started < threads; ++started) {
    Thread& thread = threads_[started];
    thread.pool = this;
    thread.worker = started + 1;
    if (pthread_create(&thread.handle, nullptr, entry, &thread) != 0) break;
  }
  threads_.resize(started);  // shrinking moves nothing
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  opened_.notify_all();
  for (const Thread& thread : threads_)
    pthread_join(thread.handle, nullptr);
}

void ThreadPool::run(const Job& job) {
  VYRE_CHECK(job.grain > 0);
  if (job.count == 0) return;
  if (origin_.is_foreign()) return job.call(job.object, 0, job.count, 0);
  const std::lock_guard turn(turn_);
  const std::size_t helpers = std::min(threads_.size(), job.chunks() - 1);
  if (helpers == 0) {
    next_chunk_.store(0, std::memory_order_relaxed);
    take_chunks(job, 0);
    return;
  }
  open(job, helpers);
  take_chunks(job, 0);
  close();
}

void ThreadPool::open(const Job& job, std::size_t helpers) {
  {
    const std::lock_guard lock(mutex_);
    job_ = job;
    next_chunk_.store(0, std::memory_order_relaxed);
    ++generation_;
    is_open_ = true;
  }
  for (std::size_t i = 0; i < helpers; ++i)
    opened_.notify_one();
}

/// Threads that have not woken by now no longer join; those inside are waited for.
void ThreadPool::close() {
  std::unique_lock lock(mutex_);
  is_open_ = false;
  left_.wait(lock, [&] { return inside_ == 0; });
}

void ThreadPool::take_chunks(const Job& job, std::size_t worker) {
  const std::size_t chunks = job.chunks();
  while (true) {
    const std::size_t chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= chunks) return;
    const std::size_t begin = chunk * job.grain;
    job.call(job.object, begin, begin + std::min(job.grain, job.count - begin), worker);
  }
}

void ThreadPool::serve(std::size_t worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    opened_.wait(lock, [&] { return stop_ || (is_open_ && generation_ != seen); });
    if (stop_) return;
    seen = generation_;
    const Job job = job_;
    ++inside_;
    lock.unlock();
    take_chunks(job, worker);
    lock.lock();
    if (--inside_ == 0) left_.notify_one();
  }
}

}  // namespace vyre
