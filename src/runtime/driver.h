// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/device.h"

#include "lower/lower.h"

/// The contract of a driver: the few things that a device must do for the one recorder.
///
/// The recorder (`runtime/recorder.h`) plans, pools, places, packs, waits and reports; a driver
/// allocates blocks, compiles kernels, makes bindings, carries out command lists in order, and says
/// when they are done.  It trusts its arguments: everything a caller can get wrong was refused in
/// front.  Drivers report only what the world refuses: `out_of_memory`, `device_lost`,
/// `compile_failed`.  A failed call has no effect, also where it throws because the host has no
/// memory; `map`, `unmap` and `poll` throw nothing.  All members may be called from any thread.
/// The smallest reading of this contract is `backend/null/`.
namespace vyre {

/// What a block of memory is for.
enum class BlockUse : std::uint8_t {
  device,          ///< kernels read and write it; copied to and from; may hold indirect arguments
  uniform,         ///< kernels read it as uniform memory; copied to
  upload,          ///< the host writes it, then it is copied from
  upload_bound,    ///< the host writes it, then kernels read it in place (storage or uniform)
  readback,        ///< copied to, then the host reads it
  readback_bound,  ///< kernels write it, then the host reads it in place
};
inline constexpr std::size_t kBlockUses = 6;
[[nodiscard]] constexpr bool is_host_visible(BlockUse use) {
  return use != BlockUse::device && use != BlockUse::uniform;
}
[[nodiscard]] constexpr bool is_upload(BlockUse use) {
  return use == BlockUse::upload || use == BlockUse::upload_bound;
}

/// Set by a driver, from any thread and possibly inside any of its calls; read by the recorder.
/// It only changes a flag, so a driver may set it under its own locks.
class Signal {
 public:
  enum class State : std::uint8_t { idle, pending, done, failed };
  [[nodiscard]] State state() const { return state_.load(std::memory_order_acquire); }
  [[nodiscard]] bool is(State state) const { return this->state() == state; }
  void set(State state) { state_.store(state, std::memory_order_release); }

 private:
  std::atomic<State> state_{State::idle};
};

/// A block of device memory.  Destroying it while the device uses it is allowed.
class DriverBlock {
 public:
  virtual ~DriverBlock() = default;
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Never reused on this device.
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  /// The host's view; null while the block belongs to the device.  Host-visible blocks start out
  /// with a view (uploads) or without one (readbacks).
  [[nodiscard]] std::byte* data() const { return data_.load(std::memory_order_acquire); }
  /// `map` was called and the view is not there yet.
  Signal mapping;

 protected:
  DriverBlock(std::uint64_t size, std::uint64_t serial) : size_(size), serial_(serial) {}
  /// Set by whatever thread a view is given back on.
  std::atomic<std::byte*> data_ = nullptr;

 private:
  std::uint64_t size_;
  std::uint64_t serial_;
};

class DriverKernel {
 public:
  virtual ~DriverKernel() = default;
  /// The recorder's: it was launched once, on a driver that compiles at launch.
  std::atomic<bool> launched = false;
};

/// Blocks bound to the buffers of a kernel.
class DriverBindings {
 public:
  virtual ~DriverBindings() = default;
};

/// Bytes of a block, or, for a driver that borrows inputs, of the host's memory at `host`.
struct BlockRange {
  DriverBlock* block = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t count = 0;  ///< bindings: elements of the buffer's root or trailing array
  const std::byte* host = nullptr;
};

struct BlockCopy {
  BlockRange from;
  DriverBlock* to = nullptr;
  std::uint64_t to_offset = 0;
};

/// `repeat` back-to-back launches; each sees the writes of the one before.
struct LaunchCommand {
  DriverKernel* kernel = nullptr;
  DriverBindings* bindings = nullptr;       ///< if the driver makes bindings
  std::span<const BlockRange> ranges = {};  ///< what they were made of
  /// The launch block, if the driver passes it.  Words of the grid are not set if it is indirect.
  std::span<const std::uint32_t> words = {};
  std::array<std::uint32_t, 3> logical_grid = {1, 1, 1};
  std::array<std::uint32_t, 3> grid = {1, 1, 1};  ///< workgroups to launch
  BlockRange indirect = {};                       ///< three u32 in place of both, if there is one
  std::uint32_t repeat = 1;
};

/// Device times of a list, in nanoseconds.
struct DeviceTimes {
  std::uint64_t kernel = 0;    ///< 0: not measured
  std::uint64_t readback = 0;  ///< likewise
  std::uint64_t queue = 0;     ///< likewise: from `submit` to the start of the kernel
  bool known = false;
};

/// The first trap of a job and how many there were.
struct TrapReport {
  std::uint64_t count = 0;
  std::uint32_t tag = 0;
  std::uint32_t value = 0;
  std::uint64_t invocation = 0;
};

/// What a driver has to say of a job beyond its bytes.
struct JobReport {
  TrapReport trap;             ///< of drivers whose target traps natively
  bool stopped = false;        ///< ended early, by `stop` or the deadline
  std::optional<Error> error;  ///< it did not run to its end for another reason
};

/// What one job asks of the device, in this order; each step sees the writes of the one before.
struct CommandList {
  std::string_view label = {};
  std::span<const BlockCopy> uploads = {};
  std::span<const BlockRange> clears = {};       ///< to zero; offset and size are multiples of 4
  std::span<const LaunchCommand> launches = {};  ///< one pass
  /// The uploads or clears touch memory that lists before this one use: they come after those.
  bool in_order = false;
  std::span<const BlockCopy> downloads = {};  ///< offsets and sizes are multiples of 4
  /// Measured if not null, and then `known` is set unless the device cannot.  Written by the time
  /// of `done`, until which it lives; where there are marks, those are read instead (`times_of`).
  DeviceTimes* times = nullptr;
  BlockRange marks = {};        ///< of a readback, 8-aligned: what a driver with marks measures
  JobReport* report = nullptr;  ///< lives until `done`
};

/// What a driver can do, beyond `DeviceInfo`.
struct DriverTraits {
  bool bound_uploads = false;    ///< BlockUse::upload_bound exists
  bool bound_readbacks = false;  ///< BlockUse::readback_bound exists
  bool fresh_is_zero = false;    ///< new device memory reads as zero
  bool passes_words = false;     ///< LaunchCommand::words; else the recorder binds a uniform block
  bool borrows_inputs = false;   ///< BlockRange::host: host memory is device memory
  bool makes_bindings = true;    ///< `bind` is worth caching; else launches use their ranges
  bool keeps_kernels = false;    ///< `save` and `restore` are worth their while
  bool compiles_at_launch = false;  ///< the first launch of a kernel takes its compilation too
  bool checks = false;              ///< kernels can be run with `DispatchOptions::checks`
  bool fast_math = false;           ///< and with `DispatchOptions::fast_math`
  bool unified = false;  ///< every block has a host view at all times; map and unmap do nothing
  std::uint32_t alignment = 256;  ///< of offsets in bindings
  std::uint32_t mark_bytes = 0;   ///< of `CommandList::marks`; 0: the driver has none
  std::uint32_t time_step = 1;    ///< nanoseconds from one of the clock's times to the next
  std::uint32_t folded_grid = 0;  ///< workgroups on one axis beyond which a kernel must be folded
};

struct SubmitOptions {
  Signal* done = nullptr;                   ///< pending until all lists have ended
  const std::atomic<bool>* stop = nullptr;  ///< set to end the work early, where the driver can
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  bool waits = false;  ///< the caller waits at once: the work may run before `submit` returns
};

class Driver {
 public:
  virtual ~Driver() = default;
  [[nodiscard]] virtual const DeviceInfo& info() const = 0;
  [[nodiscard]] virtual const DriverTraits& traits() const = 0;
  /// What lowering must do for this device.
  [[nodiscard]] virtual Target target() const = 0;

  virtual Result<std::unique_ptr<DriverBlock>> allocate(BlockUse use, std::uint64_t size) = 0;
  virtual Result<std::unique_ptr<DriverKernel>> compile(const Lowered& lowered,
                                                        std::string_view label) = 0;
  /// A kernel as bytes that `restore` understands, also in another process with the same device and
  /// driver; for drivers that keep kernels.
  [[nodiscard]] virtual std::vector<std::byte> save(const DriverKernel&) const { return {}; }
  /// Fails on bytes that `save` did not give.
  virtual Result<std::unique_ptr<DriverKernel>> restore(std::span<const std::byte>,
                                                        std::string_view label) {
    return Error(ErrorKind::unsupported, "kernel-not-kept",
                 "the kernel `" + std::string(label) + "` was not kept for `" + info().name + "`");
  }
  /// `ranges`: one per storage and uniform buffer of the lowered program, in its order; then the
  /// launch block if the program reads one and the driver does not pass words.
  virtual Result<std::unique_ptr<DriverBindings>> bind(DriverKernel& kernel,
                                                       std::span<const BlockRange> ranges) = 0;

  /// Hands the lists to the device as one submission and returns.  Lists share memory through their
  /// launches only, so all downloads may go last and, but for lists that are `in_order`, all
  /// uploads and clears first.  A list that the driver refuses fails alone, by its report, and
  /// nothing of it runs; where it is the only one or has no report, it fails the call, and nothing
  /// runs.  The lists and what they point to live until `done`; without `done`, for the call.
  virtual Status submit(std::span<const CommandList> lists, const SubmitOptions& options) = 0;

  /// Starts giving the host a view of a host-visible block, for when the submitted work on it is
  /// done: `block.mapping` turns from pending to done (the view is there) or failed.
  virtual void map(DriverBlock& block) = 0;
  /// Gives the block back to the device.  REQUIRES: it has a view and no host thread uses it.
  virtual void unmap(DriverBlock& block) = 0;

  /// What the marks of a list tell that is done and whose times are known; `ran`: it had launches.
  [[nodiscard]] virtual DeviceTimes times_of(std::span<const std::byte>, bool) const { return {}; }

  /// Lets signals fire; never blocks.
  virtual void poll() = 0;
  [[nodiscard]] virtual bool lost() const = 0;
};

}  // namespace vyre
