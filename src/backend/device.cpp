// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/device.h"

#include <algorithm>
#include <thread>

#include "base/guarded.h"
#include "runtime/resident.h"
#include "runtime/workgroup.h"
#include "validate/validate.h"

namespace vyre {
namespace {

Error cannot(const DeviceInfo& info, std::string_view option) {
  return Error(
      ErrorKind::unsupported, "option-unsupported",
      "the device `" + info.name + "` does not carry out the option `" + std::string(option) + "`",
      "leave the option out, or choose another device");
}

Error lacks(const DeviceInfo& info, Capability capability) {
  return Error(ErrorKind::unsupported, "needs-capability",
               "the kernel needs " + std::string(to_string(capability)) + ", which the device `" +
                   info.name + "` lacks",
               "choose another device, or write the kernel without it");
}

}  // namespace

Error wrong_device(std::string_view name) {
  return Error(ErrorKind::invalid_argument, "wrong-device",
               "the memory given for `" + std::string(name) +
                   "` belongs to another device, or to "
                   "this one before it was lost",
               "allocate it again on this device");
}

Status check_owners(std::span<const Input> inputs, const Recorder& recorder) {
  for (const Input& input : inputs) {
    if (input.buffer && input.buffer->impl() == nullptr)
      return empty_handle("buffer").with("taking `" + std::string(input.name) + "`");
    if (input.buffer && &input.buffer->impl()->recorder() != &recorder)
      return wrong_device(input.name);
    if (input.staged == nullptr) continue;
    if (input.staged->impl() == nullptr || input.staged->impl()->bytes().data() == nullptr)
      return Error(ErrorKind::invalid_argument, "staged-consumed",
                   "the staged memory for `" + std::string(input.name) + "` was consumed before",
                   "stage memory anew for each dispatch");
    if (&input.staged->impl()->recorder() != &recorder) return wrong_device(input.name);
  }
  return Ok{};
}

Result<std::shared_ptr<DeviceImpl>> DeviceImpl::make(std::unique_ptr<Driver> driver,
                                                     Reopen reopen,
                                                     RecorderOptions options) {
  auto recorder = std::make_shared<Recorder>(std::move(driver), options);
  VYRE_CHECK_OK(recorder->start());
  return std::shared_ptr<DeviceImpl>(
      new DeviceImpl(std::move(recorder), std::move(reopen), options));
}

/// Under no lock: another thread of the parent may have held it when the process was forked.
Status DeviceImpl::check_process() const {
  return origin_.is_foreign() ? recorder_->check_process() : Status(Ok{});
}

DeviceImpl::~DeviceImpl() {
  if (origin_.is_foreign()) {
    abandon(std::move(kernels_));
    abandon(std::move(recorder_));
    return;
  }
  kernels_.clear();  // the driver outlives them
  Recorder::let_go(std::move(recorder_));
}

std::shared_ptr<Recorder> DeviceImpl::recorder() const {
  const std::lock_guard lock(mutex_);
  return recorder_;
}

std::size_t DeviceImpl::kernels() const {
  const std::lock_guard lock(mutex_);
  return kernels_.size();
}

Result<std::shared_ptr<Compiled>> DeviceImpl::compiled(const std::shared_ptr<Recorder>& recorder,
                                                       const ValidProgram& program,
                                                       const DispatchOptions& options) {
  const DriverTraits& traits = recorder->driver().traits();
  const DeviceInfo& info = recorder->driver().info();
  if (options.checks && !traits.checks) return cannot(info, "checks");
  if (options.fast_math && !traits.fast_math) return cannot(info, "fast_math");
  const std::lock_guard lock(mutex_);
  const bool current = recorder == recorder_;  // else the device was recovered meanwhile
  if (Entry* const known = current ? find(program, options) : nullptr) {
    known->last_used = ++clock_;
    return known->compiled;
  }
  for (const Capability needed : needed_capabilities(program.program()))
    if (!info.has(needed)) return lacks(info, needed);
  VYRE_TRY(const ValidProgram sized,
           with_workgroup(program, options.workgroup ? *options.workgroup : program->workgroup));
  auto compiled = recorder->adopt(sized, options.strict_float);
  if (!current) return compiled;
  make_room(sized.program());
  kernels_.push_back({program.hash(), options.strict_float, options.workgroup, compiled, ++clock_});
  return compiled;
}

DeviceImpl::Entry* DeviceImpl::find(const ValidProgram& program, const DispatchOptions& options) {
  for (Entry& entry : kernels_)
    if (entry.hash == program.hash() && entry.strict_float == options.strict_float &&
        entry.workgroup == options.workgroup)
      return &entry;
  return nullptr;
}

/// Kernels that were used longest ago go first; jobs that still run them keep them.
void DeviceImpl::make_room(const Program& program) {
  std::uint64_t bytes = memory_of(program);
  for (const Entry& entry : kernels_)
    bytes += memory_of(entry.compiled->program().program());
  while (!kernels_.empty() && (kernels_.size() >= kMaxKernels || bytes > options_.kernel_bytes)) {
    const auto oldest =
        std::min_element(kernels_.begin(), kernels_.end(),
                         [](const Entry& a, const Entry& b) { return a.last_used < b.last_used; });
    bytes -= memory_of(oldest->compiled->program().program());
    kernels_.erase(oldest);
  }
}

Status DeviceImpl::recover() {
  VYRE_TRY(std::unique_ptr<Driver> driver, reopen_());
  auto recorder = std::make_shared<Recorder>(std::move(driver), options_);
  VYRE_CHECK_OK(recorder->start());
  {
    const std::lock_guard lock(mutex_);
    kernels_.clear();
    std::swap(recorder_, recorder);
  }
  Recorder::let_go(std::move(recorder));
  return Ok{};
}

// ------------------------------------------------------------------------------- public handle

Device make_device(std::shared_ptr<DeviceImpl> impl) {
  return Device(std::move(impl));
}

/// That a call on the handle of a device may go on.
static Status check_handle(const DeviceImpl* impl) {
  return guarded([&]() -> Status {
    if (impl == nullptr) return empty_handle("device");
    return impl->check_process();
  });
}

DeviceInfo Device::info() const {
  return guarded(
      [&] {
        const bool usable = check_handle(impl_.get()).has_value();
        return usable ? impl_->recorder()->driver().info() : DeviceInfo();
      },
      [] { return DeviceInfo(); });
}

Result<Pending> DeviceImpl::submit(const ValidProgram& program,
                                   std::span<const Input> inputs,
                                   const DispatchOptions& options,
                                   bool waits) {
  if (program.empty()) return empty_handle("program");
  const auto recorder = this->recorder();
  VYRE_CHECK_OK(check_owners(inputs, *recorder));
  VYRE_TRY(auto compiled, this->compiled(recorder, program, options));
  Result<Pending> result = Pending(JobRef());
  const Job job = {std::move(compiled), inputs, &options, &result};
  recorder->submit(std::span(&job, 1), waits);
  return result;
}

Result<Pending> Device::submit(const ValidProgram& program,
                               std::span<const Input> inputs,
                               const DispatchOptions& options) const {
  return guarded([&]() -> Result<Pending> {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    return impl_->submit(program, inputs, options, false);
  });
}

Result<Pending> Device::submit(const ValidProgram& program,
                               std::initializer_list<Input> inputs,
                               const DispatchOptions& options) const {
  return submit(program, std::span(inputs.begin(), inputs.size()), options);
}

Result<Outputs> Device::dispatch(const ValidProgram& program,
                                 std::span<const Input> inputs,
                                 const DispatchOptions& options) const {
  return guarded([&]() -> Result<Outputs> {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    VYRE_TRY(const Pending pending, impl_->submit(program, inputs, options, true));
    return pending.wait();
  });
}

Result<Outputs> Device::dispatch(const ValidProgram& program,
                                 std::initializer_list<Input> inputs,
                                 const DispatchOptions& options) const {
  return dispatch(program, std::span(inputs.begin(), inputs.size()), options);
}

/// True if both take what `DeviceImpl::compiled` gives for the first.
static bool is_same_kernel(const BatchJob& a, const BatchJob& b) {
  return a.program.hash() == b.program.hash() && a.options.strict_float == b.options.strict_float &&
         a.options.workgroup == b.options.workgroup && a.options.checks == b.options.checks &&
         a.options.fast_math == b.options.fast_math;
}

/// Those whose results say nothing else by its end have that of lack of memory.
void DeviceImpl::submit_batch(std::span<const BatchJob> jobs, std::span<Result<Pending>> results) {
  const auto recorder = this->recorder();
  std::vector<Job> good;
  good.reserve(jobs.size());
  const BatchJob* before = nullptr;  // the last good one
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const BatchJob& job = jobs[i];
    auto compiled = guarded([&]() -> Result<std::shared_ptr<Compiled>> {
      if (job.program.empty()) return empty_handle("program");
      VYRE_CHECK_OK(check_owners(job.inputs, *recorder));
      if (before != nullptr && is_same_kernel(job, *before)) return good.back().compiled;
      return this->compiled(recorder, job.program, job.options);
    });
    if (!compiled) {
      results[i] = std::move(compiled).error();
      continue;
    }
    good.push_back({*std::move(compiled), job.inputs, &job.options, &results[i]});
    before = &job;
  }
  if (!good.empty()) recorder->submit(good, false);
}

std::vector<Result<Pending>> Device::submit_batch(std::span<const BatchJob> jobs) const {
  std::vector<Result<Pending>> results;
  const auto all = [&](const Error& error) { results.assign(jobs.size(), error); };
  guarded(
      [&] {
        all(Error::host_memory());
        if (const Status usable = check_handle(impl_.get()); !usable) return all(usable.error());
        impl_->submit_batch(jobs, results);
      },
      [] {});
  return results;
}

/// How the grid that the options ask for arrives decides which kernel runs.
static Fold fold_of(const Compiled& compiled, const DispatchOptions& options) {
  if (options.threads)
    return compiled.fold_of(groups_of(*options.threads, compiled.program()->workgroup));
  return options.grid ? compiled.fold_of(*options.grid) : Fold::none;
}

Status Device::prepare(const ValidProgram& program, const DispatchOptions& options) const {
  return guarded([&]() -> Status {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    if (program.empty()) return empty_handle("program");
    const auto recorder = impl_->recorder();
    VYRE_TRY(auto compiled, impl_->compiled(recorder, program, options));
    std::optional<std::chrono::nanoseconds> time;
    VYRE_TRY([[maybe_unused]] Variant * variant,
             compiled->variant(fold_of(*compiled, options), program->name, time));
    return Ok{};
  });
}

Result<Buffer> Device::allocate(std::uint64_t bytes) const {
  return guarded([&]() -> Result<Buffer> {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    const auto recorder = impl_->recorder();
    VYRE_TRY(Loan block, recorder->allocate(bytes));
    return Buffer(std::make_shared<BufferImpl>(recorder, std::move(block), bytes));
  });
}

Result<StagedBytes> Device::stage_bytes(std::uint64_t bytes) const {
  return guarded([&]() -> Result<StagedBytes> {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    const auto recorder = impl_->recorder();
    VYRE_TRY(Loan block, recorder->stage(bytes));
    return StagedBytes(std::make_unique<StagedImpl>(recorder, std::move(block), bytes));
  });
}

DeviceStats Device::stats() const {
  if (!check_handle(impl_.get())) return {};
  DeviceStats stats = impl_->recorder()->stats();
  stats.kernels = impl_->kernels();
  return stats;
}

void Device::trim() const {
  if (check_handle(impl_.get())) impl_->recorder()->trim();
}
Status Device::recover() const {
  return guarded([&]() -> Status {
    VYRE_CHECK_OK(check_handle(impl_.get()));
    return impl_->recover();
  });
}

}  // namespace vyre
