// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/buffer.h"
#include "vyre/dispatch.h"
#include "vyre/result.h"
#include "vyre/validate.h"

/// Devices, and the calls that take a program and bytes and give bytes back.
///
/// A `Device` is a shared handle: copies refer to one device, which lives until the last of them
/// and of its `Outputs`, `Pending`s and `Buffer`s is gone.  Members may be called from any
/// thread.  Calls on a moved-from handle return the error `empty-handle`.  Nothing
/// is thrown: where the host has no memory, calls give the error `host-memory`.
namespace vyre {

enum class DeviceKind : std::uint8_t { cpu, discrete, integrated, virtual_gpu, software, other };
std::string_view to_string(DeviceKind kind);

/// What the opened device (not its adapter) allows.  Sizes are bytes.
struct Limits {
  std::array<std::uint32_t, 3> workgroup_size = {1024, 1024, 1024};
  std::uint32_t workgroup_invocations = 1024;
  std::uint64_t workgroup_memory = 65536;
  std::uint64_t local_memory = 65536;  ///< per invocation
  std::uint64_t storage_binding = ~std::uint64_t{0};
  std::uint64_t uniform_binding = ~std::uint64_t{0};
  std::uint64_t buffer_size = ~std::uint64_t{0};
  std::uint32_t storage_buffers = ~std::uint32_t{0};
  std::uint32_t uniform_buffers = ~std::uint32_t{0};
  std::uint32_t grid = ~std::uint32_t{0};  ///< workgroups on one axis of one launch
  std::uint32_t statements = kMaxStatements;
  std::uint32_t nesting = ~std::uint32_t{0};
  /// A defect: the driver ends loops in silence once those of an invocation took so many turns.
  std::uint64_t loop_turns = ~std::uint64_t{0};
};

struct DeviceInfo {
  std::string backend;       ///< "cpu", "wgpu"
  std::uint32_t number = 0;  ///< within the backend
  std::string name;          ///< as the driver gives it
  std::string driver;
  DeviceKind kind = DeviceKind::other;
  Limits limits;
  std::vector<Capability> capabilities;
  bool float_exact = false;       ///< f32 + - * are rounded separately and keep signed zeros
  bool keeps_subnormals = false;  ///< f32 subnormals are not flushed
  bool has_timestamps = false;

  [[nodiscard]] bool has(Capability capability) const;
  /// "wgpu:0"
  [[nodiscard]] std::string selector() const { return backend + ":" + std::to_string(number); }
};

/// A line of `list_devices`: a device that can be opened, or why a backend offers none.
struct DeviceEntry {
  DeviceInfo info;  ///< `float_exact` and `keeps_subnormals` are known once opened
  bool available = false;
  std::string why = {};  ///< not available: what is missing and where it was looked for
  std::string how = {};  ///< and how to get it
};

/// Every backend's devices; a backend without one has an entry that says why.  Opens nothing.
/// Empty where the host has no memory for it.
std::vector<DeviceEntry> list_devices();
/// The position in `list_devices()` that "auto" opens, as VYRE_DEVICE says; the size of the list
/// if that names none of them.
std::size_t auto_device(std::span<const DeviceEntry> devices);

/// What a device must have.  Zeros ask for nothing.
struct Needs {
  std::vector<Capability> capabilities = {};
  std::uint32_t workgroup_invocations = 0;
  std::uint64_t workgroup_memory = 0;
  std::uint64_t storage_binding = 0;
  std::uint64_t buffer_size = 0;
  std::uint32_t storage_buffers = 0;
};

/// How device memory that is let go is kept for the next use.
struct PoolPolicy {
  /// Size classes an octave, 1, 2, 4, 8 or 16: of a block larger than 4 KiB, at most one part in as
  /// many lies idle beyond what was asked for.  More of them waste less and are found less often.
  std::uint32_t classes = 4;
  /// Idle bytes kept; what was used longest ago goes first.
  std::uint64_t idle_bytes = std::uint64_t{1} << 30;
};

struct OpenOptions {
  bool refuse_software = false;  ///< never a software GPU, not even by name
  /// "auto" and a backend's name skip devices that lack any of this; if none is left, the error has
  /// the numbers.
  Needs needs = {};
  /// Bytes that may be in flight or held by `Outputs` at once: beyond it a submit waits, within its
  /// deadline, and then fails with out_of_memory.  0: 16 GiB, or half of the host's memory if that
  /// is less.
  std::uint64_t memory_budget = 0;
  PoolPolicy pool = {};
  /// A file for what happens on this device and when, in the trace-event format that Perfetto
  /// opens; empty: what the environment variable VYRE_TRACE names, if anything.
  std::string trace = {};
};

struct DeviceStats {
  std::uint64_t submissions = 0;
  std::uint64_t live_bytes = 0;   ///< lent to dispatches, outputs and buffers; 0 once all are gone
  std::uint64_t asked_bytes = 0;  ///< of the live bytes: what was asked for
  std::uint64_t idle_bytes = 0;   ///< pooled
  std::uint64_t allocations = 0;  ///< by the driver
  std::uint64_t pool_hits = 0;
  std::uint64_t evictions = 0;
  std::uint64_t binding_hits = 0;
  std::uint64_t binding_misses = 0;
  std::uint64_t kernels = 0;  ///< compiled and kept
  // Of the kernel cache, which all devices of the process share.
  std::uint64_t cache_hits = 0;
  std::uint64_t cache_misses = 0;
  std::uint64_t cache_faults = 0;  ///< of the misses: files that were not right, and were ignored
};

class DeviceImpl;

class Device {
 public:
  /// Of the device as it is now: `recover` may bring another driver.  Empty where the host has no
  /// memory for it.
  [[nodiscard]] DeviceInfo info() const;

  /// Runs `program` once and waits.  Everything that can be wrong with the arguments is found
  /// before any device work.  A trapped kernel is an error and gives no outputs.
  Result<Outputs> dispatch(const ValidProgram& program,
                           std::span<const Input> inputs,
                           const DispatchOptions& options = {}) const;
  Result<Outputs> dispatch(const ValidProgram& program,
                           std::initializer_list<Input> inputs,
                           const DispatchOptions& options = {}) const;

  /// The same without the wait: the inputs' bytes have been taken when it returns.
  Result<Pending> submit(const ValidProgram& program,
                         std::span<const Input> inputs,
                         const DispatchOptions& options = {}) const;
  Result<Pending> submit(const ValidProgram& program,
                         std::initializer_list<Input> inputs,
                         const DispatchOptions& options = {}) const;

  /// Many dispatches in one submission, in order: each sees the writes of those before it to shared
  /// buffers.  One result each; a job that is refused spoils none of the others.  Where the host
  /// has no memory for the list it is empty, and nothing was submitted.
  std::vector<Result<Pending>> submit_batch(std::span<const BatchJob> jobs) const;

  /// Compiles ahead of the first dispatch.
  Status prepare(const ValidProgram& program, const DispatchOptions& options = {}) const;

  /// A resident buffer of zeros; of `n` elements of T.
  [[nodiscard]] Result<Buffer> allocate(std::uint64_t bytes) const;
  template <HostElement T>
  [[nodiscard]] Result<TypedBuffer<T>> allocate(std::uint64_t n) const {
    VYRE_TRY(Buffer bytes, allocate(bytes_of<T>(n)));
    return TypedBuffer<T>(std::move(bytes));
  }
  /// Mapped memory for one input of `n` elements: fill it, pass it, no copy is made.
  template <HostElement T>
  [[nodiscard]] Result<Staged<T>> stage(std::uint64_t n) const {
    VYRE_TRY(StagedBytes bytes, stage_bytes(bytes_of<T>(n)));
    return Staged<T>(std::move(bytes));
  }
  [[nodiscard]] Result<StagedBytes> stage_bytes(std::uint64_t bytes) const;

  [[nodiscard]] DeviceStats stats() const;
  /// Gives idle device memory back to the driver.
  void trim() const;

  /// Opens the device again after it was lost.  Its handles stay valid and refer to the new one;
  /// buffers and outputs from before the loss are refused.
  Status recover() const;

 private:
  friend class Sequence;
  friend Device make_device(std::shared_ptr<DeviceImpl> impl);
  explicit Device(std::shared_ptr<DeviceImpl> impl) : impl_(std::move(impl)) {}

  template <typename T>
  static std::uint64_t bytes_of(std::uint64_t n) {
    constexpr std::uint64_t kMost = ~std::uint64_t{0};  // no device has as much
    return n > kMost / sizeof(T) ? kMost : n * sizeof(T);
  }

  std::shared_ptr<DeviceImpl> impl_;
};

/// Opens a device: "auto" (the best GPU that is no software, else the CPU), a backend ("cpu",
/// "wgpu"), a backend and number ("wgpu:1"), or a part of a device's name.  "auto" obeys the
/// environment variable VYRE_DEVICE.  A named backend is never replaced by another.
Result<Device> open(std::string_view which = "auto", const OpenOptions& options = {});

}  // namespace vyre
