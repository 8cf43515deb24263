// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/cpu/driver.h"

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <vector>

#include <sys/mman.h>

#include "backend/cpu/machine.h"
#include "base/align.h"
#include "base/guarded.h"
#include "runtime/host_copy.h"

namespace vyre::cpu {
namespace {

constexpr std::size_t kAlignment = 64;  // a cache line, and any vector register

struct Freed {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using OwnedBytes = std::unique_ptr<std::byte, Freed>;

class Block final : public DriverBlock {
 public:
  Block(OwnedBytes memory, std::uint64_t size, std::uint64_t serial)
      : DriverBlock(size, serial), memory_(std::move(memory)) {
    data_ = memory_.get();
  }

 private:
  OwnedBytes memory_;
};

struct CpuKernel final : DriverKernel {
  explicit CpuKernel(Machine compiled) : machine(std::move(compiled)) {}
  Machine machine;
  std::vector<BufferId> bound;  ///< the buffer of each range
  std::size_t buffers = 0;
};

std::span<std::byte> bytes_of(const BlockRange& range) {
  // Borrowed memory is bound to read-only buffers alone.
  std::byte* const memory = range.host != nullptr ? const_cast<std::byte*>(range.host)
                                                  : range.block->data() + range.offset;
  return {memory, range.size};
}

void copy(const BlockCopy& copy) {
  host_copy({copy.to->data() + copy.to_offset, copy.from.size}, bytes_of(copy.from));
}

/// A submission that waits for its turn.
struct Item {
  std::span<const CommandList> lists;
  SubmitOptions options;
  std::chrono::steady_clock::time_point submitted = std::chrono::steady_clock::now();
};

std::uint64_t nanoseconds(std::chrono::nanoseconds time) {
  return static_cast<std::uint64_t>(time.count());
}

class CpuDriver final : public Driver {
 public:
  explicit CpuDriver(DeviceInfo info) : info_(std::move(info)) {
    traits_.bound_uploads = true;
    traits_.bound_readbacks = true;
    traits_.passes_words = true;
    traits_.borrows_inputs = true;
    traits_.makes_bindings = false;
    traits_.unified = true;
    traits_.alignment = kAlignment;
  }
  ~CpuDriver() override;

  [[nodiscard]] const DeviceInfo& info() const override { return info_; }
  [[nodiscard]] const DriverTraits& traits() const override { return traits_; }
  [[nodiscard]] Target target() const override {
    Target target = cpu_target();
    target.max_local_bytes = info_.limits.local_memory;
    return target;
  }

  Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) override;
  Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                std::string_view label) override;
  Result<std::unique_ptr<DriverBindings>> bind(DriverKernel&,
                                               std::span<const BlockRange>) override {
    return std::make_unique<DriverBindings>();
  }
  Status submit(std::span<const CommandList> lists, const SubmitOptions& options) override;
  void map(DriverBlock& block) override { block.mapping.set(Signal::State::done); }
  void unmap(DriverBlock&) override {}
  void poll() override {}
  [[nodiscard]] bool lost() const override { return false; }

 private:
  bool start_worker();
  void serve();
  void run_alone(std::unique_lock<std::mutex>& lock, const Item& item);
  void run(const Item& item);
  void run(const CommandList& list, const Item& item);
  bool launch(const CommandList& list, const Item& item, JobReport& report);
  bool run(const LaunchCommand& given, const SubmitOptions& options, JobReport& report);

  DeviceInfo info_;
  DriverTraits traits_;
  std::atomic<std::uint64_t> serial_{1};

  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::vector<Item> queue_;
  std::size_t head_ = 0;  ///< of the queue
  bool running_ = false;  ///< someone carries out a submission
  bool closing_ = false;
  pthread_t worker_ = {};
  bool has_worker_ = false;
  std::vector<Memory> memories_;  ///< scratch of whoever runs
};

CpuDriver::~CpuDriver() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (has_worker_) pthread_join(worker_, nullptr);
}

/// Memory for a block, or null.  Large blocks ask for large pages, or each step that a kernel makes
/// through them would cost a look at the page tables.
OwnedBytes allocate_bytes(std::uint64_t size) {
  constexpr std::uint64_t kLargePage = std::uint64_t{2} << 20;
  const std::uint64_t alignment = size >= 2 * kLargePage ? kLargePage : kAlignment;
  const std::uint64_t rounded = align_to(size, alignment);
  void* const memory = rounded < size ? nullptr : std::aligned_alloc(alignment, rounded);
#if defined(MADV_HUGEPAGE)
  if (memory != nullptr && alignment == kLargePage) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
  return OwnedBytes(static_cast<std::byte*>(memory));
}

Result<std::unique_ptr<DriverBlock>> CpuDriver::allocate(BlockUse, std::uint64_t size) {
  OwnedBytes memory = allocate_bytes(size);
  if (memory == nullptr)
    return Error(ErrorKind::out_of_memory, "out-of-memory",
                 "the host has no memory for a block of " + std::to_string(size) + " bytes",
                 "free outputs and buffers, or split the data");
  return std::unique_ptr<DriverBlock>(new Block(std::move(memory), size, serial_.fetch_add(1)));
}

Result<std::unique_ptr<DriverKernel>> CpuDriver::compile(const Lowered& lowered, std::string_view) {
  auto kernel = std::make_unique<CpuKernel>(Machine::compile(lowered.program));
  const auto& buffers = lowered.program.buffers;
  kernel->buffers = buffers.size();
  for (std::uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].space == Space::storage || buffers[i].space == Space::uniform)
      kernel->bound.push_back(static_cast<BufferId>(i));
  return std::unique_ptr<DriverKernel>(std::move(kernel));
}

/// Runs the lists here if nothing is before them and the caller waits, else queues them.
Status CpuDriver::submit(std::span<const CommandList> lists, const SubmitOptions& options) {
  std::unique_lock lock(mutex_);
  const auto idle = [&] { return head_ == queue_.size() && !running_; };
  const bool here = options.done == nullptr || (options.waits && idle());
  if (here || !start_worker()) {
    changed_.wait(lock, idle);
    run_alone(lock, {lists, options});
    return Ok{};
  }
  queue_.push_back({lists, options});
  changed_.notify_all();
  return Ok{};
}

/// False if the system has no thread to give.  REQUIRES: the lock.
bool CpuDriver::start_worker() {
  const auto entry = [](void* driver) -> void* {
    static_cast<CpuDriver*>(driver)->serve();
    return nullptr;
  };
  if (!has_worker_) has_worker_ = pthread_create(&worker_, nullptr, entry, this) == 0;
  return has_worker_;
}

void CpuDriver::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !running_ && (head_ < queue_.size() || closing_); });
    if (head_ == queue_.size()) return;
    const Item item = queue_[head_++];
    if (head_ == queue_.size()) {
      queue_.clear();
      head_ = 0;
    }
    run_alone(lock, item);
  }
}

/// REQUIRES: the lock, and that nothing runs.
void CpuDriver::run_alone(std::unique_lock<std::mutex>& lock, const Item& item) {
  running_ = true;
  lock.unlock();
  run(item);
  lock.lock();
  running_ = false;
  changed_.notify_all();
}

/// Throws nothing: what the host has no memory for, the reports say.
void CpuDriver::run(const Item& item) {
  for (const CommandList& list : item.lists)
    run(list, item);
  if (item.options.done != nullptr) item.options.done->set(Signal::State::done);
}

void CpuDriver::run(const CommandList& list, const Item& item) {
  for (const BlockCopy& upload : list.uploads)
    copy(upload);
  for (const BlockRange& clear : list.clears)
    host_clear(bytes_of(clear));
  JobReport ignored;
  JobReport& report = list.report != nullptr ? *list.report : ignored;
  const auto start = std::chrono::steady_clock::now();
  const bool ended = guarded([&] { return launch(list, item, report); },
                             [&] {
                               report.error = Error::host_memory();
                               return false;
                             });
  if (!ended) return;
  const auto end = std::chrono::steady_clock::now();
  for (const BlockCopy& download : list.downloads)
    copy(download);
  if (list.times == nullptr || list.launches.empty()) return;
  list.times->known = true;
  if (list.launches.empty()) return;
  list.times->kernel = nanoseconds(end - start);
  list.times->queue = nanoseconds(start - item.submitted);
}

/// All launches; false if the job is to end here.
bool CpuDriver::launch(const CommandList& list, const Item& item, JobReport& report) {
  for (const LaunchCommand& launch : list.launches)
    for (std::uint32_t i = 0; i < launch.repeat; ++i)
      if (!run(launch, item.options, report)) return false;
  return true;
}

/// One launch; false if the job is to end here.
bool CpuDriver::run(const LaunchCommand& given, const SubmitOptions& options, JobReport& report) {
  LaunchCommand launch = given;
  if (launch.indirect.block != nullptr) {
    std::memcpy(&launch.grid, bytes_of(launch.indirect).data(), sizeof launch.grid);
    launch.logical_grid = launch.grid;
    if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0) return true;
  }
  const auto& kernel = static_cast<const CpuKernel&>(*launch.kernel);
  memories_.assign(kernel.buffers, {});
  for (std::size_t i = 0; i < launch.ranges.size() && i < kernel.bound.size(); ++i)
    memories_[index(kernel.bound[i])] = {bytes_of(launch.ranges[i]), launch.ranges[i].count};
  const auto result = kernel.machine.run({.grid = launch.grid,
                                          .logical_grid = launch.logical_grid,
                                          .buffers = memories_,
                                          .stop = options.stop,
                                          .deadline = options.deadline});
  if (!result) {
    report.error = result.error();
    return false;
  }
  report.stopped = result->stopped;
  if (result->trap.count != 0 && report.trap.count == 0)
    report.trap = {0, index(result->trap.tag), result->trap.value, result->trap.invocation};
  report.trap.count += result->trap.count;
  return !report.stopped;
}

}  // namespace

Result<std::unique_ptr<Driver>> open_driver(DeviceInfo info) {
  return std::unique_ptr<Driver>(new CpuDriver(std::move(info)));
}

}  // namespace vyre::cpu
