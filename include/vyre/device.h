// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/result.h"
#include "vyre/validate.h"

/// Devices, and the one call that takes a program and bytes and gives bytes back.
///
/// A `Device` is a shared handle: copies refer to one device, which lives until the last of them
/// and of its `Outputs` is gone.  All members may be called from any thread.
namespace vyre {

/// Host bytes for one buffer: a view, read during the call only.  With a name it fills that
/// buffer; without, inputs fill the consuming buffers in declaration order.
struct Input {
  std::string_view name = {};
  std::span<const std::byte> bytes = {};

  Input(std::string_view for_buffer, std::span<const std::byte> data)
      : name(for_buffer), bytes(data) {}
  template <std::ranges::contiguous_range R>
  Input(std::string_view for_buffer, const R& data)  // NOLINT(google-explicit-constructor)
      : name(for_buffer),
        bytes(std::as_bytes(std::span(std::ranges::data(data), std::ranges::size(data)))) {}
  template <std::ranges::contiguous_range R>
  explicit Input(const R& data) : Input(std::string_view{}, data) {}
  /// One value: a scalar or a plain struct laid out as the buffer is.
  template <typename T>
  requires(std::is_trivially_copyable_v<T> && !std::ranges::range<T>)
      Input(std::string_view for_buffer, const T& value)
      : name(for_buffer), bytes(std::as_bytes(std::span(&value, 1))) {}
};

struct DispatchOptions {
  /// Workgroups on each axis; absent: inferred (one-dimensional workgroups only).
  std::optional<std::array<std::uint32_t, 3>> grid = {};
  /// Elements of runtime-sized buffers that are not supplied.
  std::vector<std::pair<std::string, std::uint64_t>> counts = {};
  /// Back-to-back launches over the same buffers; each sees the writes of the one before.
  std::uint32_t repeat = 1;
  /// From the call on; compilation on first use is outside it.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  /// Refuses a dispatch whose outputs together would be larger.
  std::uint64_t max_output_bytes = ~std::uint64_t{0};
  /// Shown in errors and in the driver's tools; default: the program's name.
  std::string label = {};
  /// Measures the phases on the device where it can.
  bool timestamps = false;
  /// f32 + - * keep their separate roundings on every device, at the price of one operation each.
  bool strict_float = false;
};

/// Durations of one dispatch.  A field that the device cannot measure is empty.
struct Timing {
  std::optional<std::chrono::nanoseconds> upload;    ///< host: placing the inputs
  std::optional<std::chrono::nanoseconds> kernel;    ///< device
  std::optional<std::chrono::nanoseconds> readback;  ///< device
  std::optional<std::chrono::nanoseconds> compile;   ///< host; only if this call compiled
  std::chrono::nanoseconds total{};                  ///< host: the whole call
};

/// The bytes that came back, in declaration order; owns their memory.  Views die with it.
class Outputs {
 public:
  struct Item {
    std::string name;
    std::span<const std::byte> bytes;
  };

  Outputs(std::vector<Item> items, std::shared_ptr<const void> owner, Timing timing)
      : items_(std::move(items)), owner_(std::move(owner)), timing_(timing) {}

  [[nodiscard]] auto begin() const { return items_.begin(); }
  [[nodiscard]] auto end() const { return items_.end(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool contains(std::string_view name) const;
  /// The bytes of one output; empty if there is no such output.
  [[nodiscard]] std::span<const std::byte> bytes(std::string_view name) const;
  /// The same as whole elements of T.
  template <typename T>
  [[nodiscard]] std::span<const T> as(std::string_view name) const {
    const auto raw = bytes(name);
    return {reinterpret_cast<const T*>(raw.data()), raw.size() / sizeof(T)};
  }
  [[nodiscard]] const Timing& timing() const { return timing_; }

 private:
  std::vector<Item> items_;
  std::shared_ptr<const void> owner_;
  Timing timing_;
};

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
  std::vector<std::string> warnings;  ///< known defects of this driver that a user should know

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
std::vector<DeviceEntry> list_devices();
/// The position in `list_devices()` that "auto" opens.
std::size_t auto_device(std::span<const DeviceEntry> devices);

struct OpenOptions {
  bool refuse_software = false;  ///< never a software GPU, not even by name
};

class DeviceImpl;

class Device {
 public:
  [[nodiscard]] const DeviceInfo& info() const;

  /// Runs `program` once and waits.  Everything that can be wrong with the arguments is found
  /// before any device work.  A trapped kernel is an error and gives no outputs.
  Result<Outputs> dispatch(const ValidProgram& program,
                           std::span<const Input> inputs,
                           const DispatchOptions& options = {}) const;
  Result<Outputs> dispatch(const ValidProgram& program,
                           std::initializer_list<Input> inputs,
                           const DispatchOptions& options = {}) const;

  /// Compiles ahead of the first dispatch.
  Status prepare(const ValidProgram& program, const DispatchOptions& options = {}) const;

 private:
  friend Result<Device> open(std::string_view which, const OpenOptions& options);
  explicit Device(std::shared_ptr<DeviceImpl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<DeviceImpl> impl_;
};

/// Opens a device: "auto" (the best GPU that is no software, else the CPU), a backend ("cpu",
/// "wgpu"), a backend and number ("wgpu:1"), or a part of a device's name.  "auto" obeys the
/// environment variable VYRE_DEVICE.  A named backend is never replaced by another.
Result<Device> open(std::string_view which = "auto", const OpenOptions& options = {});

}  // namespace vyre
