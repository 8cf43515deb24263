// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "vyre/buffer.h"
#include "vyre/element.h"
#include "vyre/result.h"
#include "vyre/validate.h"

/// What goes into a dispatch and what comes back.
namespace vyre {

class Submission;
struct Part;

/// Bytes for one buffer.  With a name it fills that buffer; without, inputs fill the consuming
/// buffers in declaration order.  It keeps the handle of a resident buffer, and one value of up to
/// 64 bytes; other host bytes, staged memory and the name are views, read during the call only.
/// What comes as elements of a C++ type is compared with what the buffer holds (element.h).
struct Input {
  std::string_view name = {};
  std::optional<Buffer> buffer = {};    ///< a resident buffer, bound in place
  const StagedBytes* staged = nullptr;  ///< mapped memory, bound in place; consumed by the dispatch
  const ElementType* type = nullptr;    ///< of the elements; null: bytes

  /// Bytes as they are.
  Input(std::string_view for_buffer, std::span<const std::byte> data)
      : name(for_buffer), view_(data) {}
  Input(std::string_view for_buffer, const Buffer& resident) : name(for_buffer), buffer(resident) {}
  Input(std::string_view for_buffer, const StagedBytes& memory)
      : name(for_buffer), staged(&memory) {}
  template <typename T>
  Input(std::string_view for_buffer, const TypedBuffer<T>& resident)
      : Input(for_buffer, resident.bytes()) {
    type = &detail::kElementType<T>;
  }
  template <typename T>
  Input(std::string_view for_buffer, const Staged<T>& memory)
      : Input(for_buffer, static_cast<const StagedBytes&>(memory)) {
    type = &detail::kElementType<T>;
  }
  /// A vector, an array, a span, a view of an output.
  template <std::ranges::contiguous_range R>
  requires(HostElement<std::ranges::range_value_t<R>> && !std::is_base_of_v<StagedBytes, R>)
      Input(std::string_view for_buffer, const R& data)
      : Input(for_buffer,
              std::as_bytes(std::span(std::ranges::data(data), std::ranges::size(data)))) {
    type = &detail::kElementType<std::ranges::range_value_t<R>>;
  }
  /// One value: a scalar or a plain struct laid out as the buffer is.
  template <HostElement T>
  requires(!std::ranges::range<T>) Input(std::string_view for_buffer, const T& value)
      : Input(for_buffer, std::as_bytes(std::span(&value, 1))) {
    type = &detail::kElementType<T>;
    if constexpr (sizeof(T) <= sizeof(value_)) keep();
  }
  /// Any of these without a name.
  template <typename V>
  requires(std::is_constructible_v<Input, std::string_view, const V&>) explicit Input(
      const V& without_name)
      : Input(std::string_view{}, without_name) {}

  /// Host bytes; none where a buffer or mapped memory was given.
  [[nodiscard]] std::span<const std::byte> bytes() const {
    return kept_ ? std::span(value_).first(view_.size()) : view_;
  }
  /// Bytes that are there, wherever they are.
  [[nodiscard]] std::uint64_t size() const;

 private:
  void keep() {
    std::copy(view_.begin(), view_.end(), value_.begin());
    kept_ = true;
  }

  std::span<const std::byte> view_ = {};
  alignas(16) std::array<std::byte, 64> value_ = {};
  bool kept_ = false;
};

/// Where the bytes of a dispatch live while it runs.
enum class Placement : std::uint8_t {
  automatic,  ///< what measurements say is fastest for each buffer
  staged,     ///< device memory, copied up before and down after
  mapped,     ///< memory that host and device share, wherever the device allows it
};

/// Where a grid lies: three little-endian u32, workgroups on x, y and z, in a buffer of the
/// program.
struct IndirectGrid {
  std::string buffer;
  std::uint64_t offset = 0;  ///< bytes, a multiple of 4

  friend bool operator==(const IndirectGrid&, const IndirectGrid&) = default;
};

/// Numbers on the axes x, y and z, or none: `{}`, `{64}`, `{16, 16}`, `{8, 8, 8}`.
class Axes {
 public:
  constexpr Axes() = default;
  constexpr Axes(std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1)  // NOLINT
      : axes_{x, y, z}, given_(true) {}
  constexpr Axes(const std::array<std::uint32_t, 3>& axes)  // NOLINT
      : axes_(axes), given_(true) {}

  constexpr explicit operator bool() const { return given_; }
  /// Zeros where none are given.
  constexpr const std::array<std::uint32_t, 3>& operator*() const { return axes_; }

  friend bool operator==(const Axes&, const Axes&) = default;

 private:
  std::array<std::uint32_t, 3> axes_ = {};
  bool given_ = false;
};

struct DispatchOptions {
  /// Workgroups on each axis.  Without it and `threads` the grid is inferred (one-dimensional
  /// workgroups only).
  Axes grid = {};
  /// Invocations on each axis, rounded up to whole workgroups; in place of `grid`.
  Axes threads = {};
  /// Elements of runtime-sized buffers that are not supplied.
  std::vector<std::pair<std::string, std::uint64_t>> counts = {};
  /// The grid is read on the device, once, before the first launch; the kernel may write the
  /// buffer. A grid beyond the device's limits is a trap, a 0 in it runs nothing.
  std::optional<IndirectGrid> indirect = {};
  /// Back-to-back launches over the same buffers, 1 to 1048576; each sees the writes of the one
  /// before.
  std::uint32_t repeat = 1;
  /// From the call on; compilation on first use is outside it.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
  /// Refuses a dispatch whose outputs together would be larger.
  std::uint64_t max_output_bytes = ~std::uint64_t{0};
  /// Outputs that are not read back.
  std::vector<std::string> keep_on_device = {};
  /// Shown in errors, traces and the driver's tools; default: the program's name.
  std::string label = {};
  /// Measures the phases on the device where it can.
  bool timestamps = false;
  Placement placement = Placement::automatic;
  /// Invocations of a workgroup in place of the program's own; refused for programs that use
  /// workgroup memory, barriers, subgroup operations or the ids of workgroups and of lanes in them.
  Axes workgroup = {};
  /// Reports what the program must not do.  A device that cannot refuses.
  bool checks = false;
  /// Lets f32 operations be contracted and reordered.  A device that cannot refuses.
  bool fast_math = false;
  /// f32 + - * keep their separate roundings on every device, at the price of one operation each.
  bool strict_float = false;
  /// Positional inputs have a slot for every buffer but workgroup ones; bytes for pure outputs are
  /// ignored.
  bool full_input_order = false;

  friend bool operator==(const DispatchOptions&, const DispatchOptions&) = default;
};

/// Durations of one dispatch.  A field that the device cannot measure is empty.
struct Timing {
  std::optional<std::chrono::nanoseconds> upload;  ///< host: placing the inputs
  /// From the submission to the kernel's start, where host and device have one clock.
  std::optional<std::chrono::nanoseconds> queue;
  std::optional<std::chrono::nanoseconds> kernel;    ///< device; empty if nothing was launched
  std::optional<std::chrono::nanoseconds> readback;  ///< device
  std::optional<std::chrono::nanoseconds> compile;   ///< host; only if this call compiled
  std::chrono::nanoseconds total{};                  ///< host: from the call to the result
  /// Device times are multiples of it, where the device's clock is coarser than a nanosecond.
  std::optional<std::chrono::nanoseconds> step;
};

/// One share in a submission and what its memory holds.  Copies are counted; any thread.
class JobRef {
 public:
  JobRef() = default;
  JobRef(Submission* submission, std::uint32_t part);  ///< takes over one count
  JobRef(const JobRef& other);
  JobRef(JobRef&& other) noexcept;
  JobRef& operator=(JobRef other) noexcept;
  ~JobRef();
  [[nodiscard]] Submission* submission() const { return submission_; }
  [[nodiscard]] std::uint32_t index() const { return part_; }
  [[nodiscard]] const Part& part() const;
  explicit operator bool() const { return submission_ != nullptr; }

 private:
  Submission* submission_ = nullptr;
  std::uint32_t part_ = 0;
};

/// The bytes that came back, in declaration order.  Owns the mapped memory: views die with it, and
/// no copy is made unless `copy_to` is called.  Keeps its device alive.  Moved from, it has none.
class Outputs {
 public:
  struct Item {
    std::string_view name;
    std::span<const std::byte> bytes;
  };

  explicit Outputs(JobRef job) : job_(std::move(job)) {}

  [[nodiscard]] std::span<const Item> items() const;
  [[nodiscard]] auto begin() const { return items().begin(); }
  [[nodiscard]] auto end() const { return items().end(); }
  [[nodiscard]] std::size_t size() const { return items().size(); }
  [[nodiscard]] bool contains(std::string_view name) const;
  /// A view of one output as elements of T, or an error: there is no such output, or T is not what
  /// it holds (element.h).  A read of a sequence is compared by its size alone.
  template <HostElement T>
  [[nodiscard]] Elements<T> as(std::string_view name) const {
    auto found = view(name, detail::kElementType<T>);
    if (!found) return std::move(found).error();
    return std::span(reinterpret_cast<const T*>(found->data()), found->size() / sizeof(T));
  }
  [[nodiscard]] Elements<std::byte> bytes(std::string_view name) const {
    return as<std::byte>(name);
  }
  /// Copies one output with as many threads as pay; an error if the sizes differ, or the types.
  template <std::ranges::contiguous_range R>
  requires(HostElement<std::ranges::range_value_t<R>>) Status copy_to(std::string_view name, R&& to)
  const {
    return copy_to(name, std::as_writable_bytes(std::span(to)),
                   detail::kElementType<std::ranges::range_value_t<R>>);
  }
  [[nodiscard]] const Timing& timing() const;
  /// Of a timed sequence, one a step; else none.
  [[nodiscard]] std::span<const Timing> step_timings() const;

 private:
  [[nodiscard]] Result<std::span<const std::byte>> view(std::string_view name,
                                                        const ElementType& type) const;
  Status copy_to(std::string_view name, std::span<std::byte> to, const ElementType& type) const;

  JobRef job_;
};

/// A dispatch on its way.  Dropping it at any time is safe: its resources come back when the
/// device is done.  Copies refer to the same dispatch; one that was moved from is ready with the
/// error `empty-handle`.
class Pending {
 public:
  explicit Pending(JobRef job) : job_(std::move(job)) {}

  /// True once the result is there; never blocks.
  [[nodiscard]] bool ready() const;
  /// Waits for the result, at most `timeout` from now (default: what is left of the dispatch's
  /// own).  A result that is already there is returned whatever the deadline.
  Result<Outputs> wait(std::optional<std::chrono::nanoseconds> timeout = {}) const;
  /// The result if it is there; never blocks.
  [[nodiscard]] std::optional<Result<Outputs>> outputs() const;
  /// Calls `callback` once the result is there, from within some call on this device, on the
  /// calling thread and under no lock of ours.  The callback throws nothing.  Where the host has no
  /// memory to keep it, this call waits for the result and calls it.
  void on_ready(std::function<void(const Pending&)> callback) const;

 private:
  JobRef job_;
};

/// Waits for all, one result each; one bad job spoils none of the others.  Where the host has no
/// memory for the list it is empty, and nothing was waited for.
std::vector<Result<Outputs>> wait_all(std::span<const Pending> pending,
                                      std::optional<std::chrono::nanoseconds> timeout = {});

/// One dispatch of a batch.  What its inputs view must be there until `submit_batch` returns.
struct BatchJob {
  ValidProgram program;
  std::vector<Input> inputs = {};
  DispatchOptions options = {};
};

}  // namespace vyre
