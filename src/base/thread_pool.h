// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <type_traits>
#include <vector>

#include "base/fork.h"

/// A fixed set of threads that share out a range of indices.
///
/// The thread that calls takes part, so a pool of 1 has no threads of its own.  Chunks are handed
/// out one by one, to whoever is free: which thread runs which chunk is not determined.  Calls
/// from several threads take turns; a body must not call the pool that runs it.  A call allocates
/// nothing.  Destruction waits for the threads to end.  In a child of the process that made it, a
/// pool has no threads any more: the caller does it all, and it is not to be destroyed.
namespace vyre {

class ThreadPool {
 public:
  /// `concurrency` counts the caller; 0 means one thread a processor.  Where the system refuses a
  /// thread, the pool is smaller than asked for.
  explicit ThreadPool(unsigned concurrency = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  /// How many threads may be in a body at once; a body's `worker` is below it.
  [[nodiscard]] unsigned concurrency() const { return static_cast<unsigned>(threads_.size()) + 1; }

  /// Calls `body(begin, end, worker)` for chunks of at most `grain` indices that together cover
  /// [0, count) once, and returns when all have returned.  At any moment a value of `worker`
  /// (std::size_t) is in use by one thread, so it can name scratch memory.
  /// REQUIRES: grain > 0; the body throws nothing.
  template <typename Body>
  void parallel_for(std::size_t count, std::size_t grain, Body&& body) {
    using Plain = std::remove_reference_t<Body>;
    run({.call = [](void* object, std::size_t begin, std::size_t end,
                    std::size_t worker) { (*static_cast<Plain*>(object))(begin, end, worker); },
         .object = const_cast<void*>(static_cast<const void*>(&body)),
         .count = count,
         .grain = grain});
  }

 private:
  struct Job {
    void (*call)(void* object, std::size_t begin, std::size_t end, std::size_t worker) = nullptr;
    void* object = nullptr;
    std::size_t count = 0;
    std::size_t grain = 1;

    [[nodiscard]] std::size_t chunks() const { return count / grain + (count % grain != 0); }
  };
  struct Thread {
    ThreadPool* pool = nullptr;
    std::size_t worker = 0;
    pthread_t handle = {};
  };

  void start(unsigned threads);
  void run(const Job& job);
  void open(const Job& job, std::size_t helpers);
  void close();
  void take_chunks(const Job& job, std::size_t worker);
  void serve(std::size_t worker);

  Origin origin_;
  std::vector<Thread> threads_;
  std::mutex turn_;  ///< held for the length of a call

  std::mutex mutex_;  ///< guards what follows, but the atomic
  std::condition_variable opened_;
  std::condition_variable left_;
  Job job_;
  bool is_open_ = false;
  bool stop_ = false;
  std::uint64_t generation_ = 0;  ///< counts jobs, so that a thread joins each once
  std::size_t inside_ = 0;        ///< threads at work on the job, without the caller
  std::atomic<std::size_t> next_chunk_{0};
};

}  // namespace vyre
