// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>

#include "vyre/buffer.h"

#include "runtime/pool.h"

/// What stands behind the handles of `vyre/buffer.h`.
namespace vyre {

class Recorder;

/// A block of a recorder's pool; goes back there when its owner goes.
class Loan {
 public:
  Loan(Recorder& recorder, PooledBlock block) : recorder_(&recorder), block_(std::move(block)) {}
  Loan(Loan&& other) noexcept : recorder_(other.recorder_), block_(other.take()) {}
  Loan& operator=(Loan&& other) noexcept;
  ~Loan();

  explicit operator bool() const { return static_cast<bool>(block_); }
  [[nodiscard]] const PooledBlock& pooled() const { return block_; }
  [[nodiscard]] DriverBlock* get() const { return block_.block.get(); }
  [[nodiscard]] DriverBlock& operator*() const { return *block_.block; }
  DriverBlock* operator->() const { return block_.block.get(); }
  /// It is the caller's then.
  PooledBlock take() { return std::exchange(block_, {}); }

 private:
  Recorder* recorder_;
  PooledBlock block_;
};

/// What a call on a handle that was moved from gives.
Error empty_handle(std::string_view what);
/// An error that names the range if it is not within `size` bytes.
Status check_range(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size);

/// A resident buffer.  Returns its block to the pool when the last handle is gone.
class BufferImpl {
 public:
  BufferImpl(std::shared_ptr<Recorder> recorder, Loan&& block, std::uint64_t size)
      : recorder_(std::move(recorder)), block_(std::move(block)), size_(size) {}
  BufferImpl(const BufferImpl&) = delete;
  BufferImpl& operator=(const BufferImpl&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] DriverBlock* block() const { return block_.get(); }
  [[nodiscard]] Recorder& recorder() const { return *recorder_; }

 private:
  std::shared_ptr<Recorder> recorder_;
  Loan block_;
  std::uint64_t size_;
};

/// Mapped memory for one input.  The dispatch that consumes it takes the block.
class StagedImpl {
 public:
  StagedImpl(std::shared_ptr<Recorder> recorder, Loan&& block, std::uint64_t size)
      : recorder_(std::move(recorder)), block_(std::move(block)), size_(size) {}
  StagedImpl(const StagedImpl&) = delete;
  StagedImpl& operator=(const StagedImpl&) = delete;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::span<std::byte> bytes() const;
  [[nodiscard]] Recorder& recorder() const { return *recorder_; }
  PooledBlock take() { return block_.take(); }

 private:
  std::shared_ptr<Recorder> recorder_;
  Loan block_;
  std::uint64_t size_;
};

}  // namespace vyre
