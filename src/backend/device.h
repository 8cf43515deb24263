// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "backend/backend.h"
#include "runtime/recorder.h"

/// What stands behind a `Device`: a driver's recorder, and the programs compiled for it.
namespace vyre {

class DeviceImpl {
 public:
  using Reopen = std::function<Result<std::unique_ptr<Driver>>()>;

  /// Takes a driver into service.  `reopen` makes another one after a loss.
  static Result<std::shared_ptr<DeviceImpl>> make(std::unique_ptr<Driver> driver,
                                                  Reopen reopen,
                                                  RecorderOptions options = {});
  ~DeviceImpl();

  [[nodiscard]] std::shared_ptr<Recorder> recorder() const;
  /// The program's compiled form for this recorder, made on first use; fails if the device lacks a
  /// capability.
  Result<std::shared_ptr<Compiled>> compiled(const std::shared_ptr<Recorder>& recorder,
                                             const ValidProgram& program,
                                             const DispatchOptions& options);
  /// `waits`: the caller will wait for the result at once.
  Result<Pending> submit(const ValidProgram& program,
                         std::span<const Input> inputs,
                         const DispatchOptions& options,
                         bool waits);
  /// One result each.  REQUIRES: `results` are as many, and say that memory is lacking.
  void submit_batch(std::span<const BatchJob> jobs, std::span<Result<Pending>> results);
  Status recover();
  /// The error of calls in a child of the process that opened the device.
  [[nodiscard]] Status check_process() const;
  [[nodiscard]] std::size_t kernels() const;

 private:
  DeviceImpl(std::shared_ptr<Recorder> recorder, Reopen reopen, RecorderOptions options)
      : recorder_(std::move(recorder)), reopen_(std::move(reopen)), options_(options) {}

  static constexpr std::size_t kMaxKernels = 256;
  struct Entry {
    Hash hash;
    bool strict_float;
    Axes workgroup;
    std::shared_ptr<Compiled> compiled;
    std::uint64_t last_used;
  };
  // REQUIRE: the lock.
  Entry* find(const ValidProgram& program, const DispatchOptions& options);
  void make_room(const Program& program);

  Origin origin_;
  mutable std::mutex mutex_;
  std::shared_ptr<Recorder> recorder_;
  Reopen reopen_;
  RecorderOptions options_;
  std::vector<Entry> kernels_;
  std::uint64_t clock_ = 0;
};

/// Memory given for an input that is not this device's own.
Error wrong_device(std::string_view name);
/// Buffers and staged memory must be this recorder's own.
Status check_owners(std::span<const Input> inputs, const Recorder& recorder);

/// A public handle on an implementation; for `open` and for tests that bring their own driver.
Device make_device(std::shared_ptr<DeviceImpl> impl);

}  // namespace vyre
