// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "vyre/element.h"
#include "vyre/result.h"

/// Memory that the caller holds: on the device, or mapped for one dispatch.
namespace vyre {

class BufferImpl;
class StagedImpl;
template <HostElement T>
class TypedBuffer;

/// A resident buffer: bytes on a device that stay there.  A shared handle; copies refer to the same
/// memory, which lives until the last of them and of the dispatches that use it is gone.  Members
/// may be called from any thread; calls on one buffer take effect in the order they are made.  A
/// handle that was moved from has no bytes, and its calls give the error `empty-handle`.
class Buffer {
 public:
  explicit Buffer(std::shared_ptr<BufferImpl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] std::uint64_t size() const;

  /// Replaces or fetches the bytes at `offset`, any alignment.  A range beyond the end is an error
  /// that names it, and touches nothing.
  Status upload(std::span<const std::byte> bytes, std::uint64_t offset = 0) const;
  Status download(std::span<std::byte> bytes, std::uint64_t offset = 0) const;

  struct Upload {
    std::uint64_t offset;
    std::span<const std::byte> bytes;
  };
  struct Download {
    std::uint64_t offset;
    std::span<std::byte> bytes;
  };
  /// Many ranges in one submission; all are checked before any is touched.
  Status upload(std::span<const Upload> ranges) const;
  Status download(std::span<const Download> ranges) const;

  /// The same memory as elements of T; an error if it is not whole ones.
  template <HostElement T>
  [[nodiscard]] Result<TypedBuffer<T>> as() const {
    VYRE_CHECK_OK(check_whole(sizeof(T), detail::type_name<T>()));
    return TypedBuffer<T>(*this);
  }

  [[nodiscard]] const std::shared_ptr<BufferImpl>& impl() const { return impl_; }

 private:
  [[nodiscard]] Status check_whole(std::size_t element, std::string_view type) const;

  std::shared_ptr<BufferImpl> impl_;
};

/// A resident buffer as elements of T: positions and counts are elements, and where it stands for
/// a buffer of a kernel T is compared with what that holds.  A handle like `Buffer`, and taken
/// wherever one is.
template <HostElement T>
class TypedBuffer {
 public:
  /// REQUIRES: the buffer's size is whole elements; `Buffer::as` checks.
  explicit TypedBuffer(Buffer bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] const Buffer& bytes() const { return bytes_; }
  operator const Buffer&() const { return bytes_; }  // NOLINT
  /// Elements.
  [[nodiscard]] std::uint64_t size() const { return bytes_.size() / sizeof(T); }

  /// Replaces or fetches the elements from `first` on.
  Status upload(std::span<const T> elements, std::uint64_t first = 0) const {
    return bytes_.upload(std::as_bytes(elements), offset_of(first));
  }
  Status download(std::span<T> elements, std::uint64_t first = 0) const {
    return bytes_.download(std::as_writable_bytes(elements), offset_of(first));
  }

 private:
  static std::uint64_t offset_of(std::uint64_t element) {
    constexpr std::uint64_t kEnd = ~std::uint64_t{0};
    return element > kEnd / sizeof(T) ? kEnd : element * sizeof(T);
  }

  Buffer bytes_;
};

/// Mapped memory for one input: write it in order, do not read it (it may be write-combined), and
/// pass it to one dispatch, which consumes it.  Move-only.
class StagedBytes {
 public:
  explicit StagedBytes(std::unique_ptr<StagedImpl> impl);
  StagedBytes(StagedBytes&&) noexcept;
  StagedBytes& operator=(StagedBytes&&) noexcept;
  ~StagedBytes();
  /// Empty once consumed.
  [[nodiscard]] std::span<std::byte> bytes() const;
  [[nodiscard]] StagedImpl* impl() const { return impl_.get(); }

 private:
  std::unique_ptr<StagedImpl> impl_;
};

/// The same as elements of T.
template <HostElement T>
class Staged : public StagedBytes {
 public:
  explicit Staged(StagedBytes&& bytes) : StagedBytes(std::move(bytes)) {}
  [[nodiscard]] std::span<T> elements() const {
    return {reinterpret_cast<T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  [[nodiscard]] T* data() const { return elements().data(); }
  [[nodiscard]] std::size_t size() const { return elements().size(); }
  T& operator[](std::size_t i) const { return elements()[i]; }
  [[nodiscard]] auto begin() const { return elements().begin(); }
  [[nodiscard]] auto end() const { return elements().end(); }
};

}  // namespace vyre
