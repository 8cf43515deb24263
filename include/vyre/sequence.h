// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "vyre/buffer.h"
#include "vyre/device.h"
#include "vyre/dispatch.h"
#include "vyre/result.h"
#include "vyre/validate.h"

/// Dispatches that are recorded once and replayed many times.
///
///     vyre::Sequence sequence(device);
///     VYRE_CHECK_OK(sequence.add(first, {{"data", data}}));
///     VYRE_CHECK_OK(sequence.add(second, {{"data", data}, {"result", result}}, {.repeat = 10}));
///     VYRE_CHECK_OK(sequence.read("result", result));
///     VYRE_TRY(const auto outputs, sequence.run());
///
/// A replay is one submission.  Its steps run in order, and each sees all that the ones before it
/// wrote: what has to wait for the whole grid goes into the next step.  Planning, bindings and
/// constant bytes are settled when a step is added, so a replay costs the host little more than its
/// submission.
///
/// A `Sequence` is a shared handle and keeps its device and buffers alive.  Members may be called
/// from any thread; what is added while a replay is on its way belongs to later ones.  After its
/// device was lost it must be made again.  One that was moved from has no steps, and its calls give
/// the error `empty-handle`; those of one that the host had no memory to make give `host-memory`.
namespace vyre {

class SequenceImpl;

struct SequenceOptions {
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  /// Shown in errors and traces; default: "sequence".
  std::string label = {};
  /// Measures every step: `Outputs::step_timings`.
  bool timestamps = false;
};

class Sequence {
 public:
  explicit Sequence(const Device& device);

  /// Adds a step.  What the kernel writes is a resident buffer, or its own scratch, which is zero
  /// at the start of each replay.  Host bytes of inputs and uniforms are taken now.  Of the
  /// options, those that speak of the kernel, the grid, counts, `repeat` and `label` are the
  /// step's.  What is wrong is found here, and then no step is added.
  Status add(const ValidProgram& program,
             std::span<const Input> inputs,
             const DispatchOptions& options = {});
  Status add(const ValidProgram& program,
             std::initializer_list<Input> inputs,
             const DispatchOptions& options = {});
  /// Bytes of a buffer that come back from every replay under `name`, as they are at its end.
  Status read(std::string name, const Buffer& buffer);
  Status read(std::string name, const Buffer& buffer, std::uint64_t offset, std::uint64_t size);
  /// Steps.
  [[nodiscard]] std::size_t size() const;

  /// Replays once and waits.  The first step that trapped makes the error.
  Result<Outputs> run(const SequenceOptions& options = {}) const;
  /// The same without the wait.
  Result<Pending> submit(const SequenceOptions& options = {}) const;

 private:
  [[nodiscard]] Status check_handle() const;

  std::shared_ptr<SequenceImpl> impl_;
  bool starved_ = false;  ///< there was no memory for `impl_`
};

}  // namespace vyre
