// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/driver.h"

/// Device memory that is used again.
///
/// Blocks are pooled by use and size class, as the policy says (`PoolPolicy`): of four classes an
/// octave, a block is never more than a quarter larger than asked for, above the floor of
/// `kSmallestBlock`.  Idle blocks are kept up to a budget, the least recently used go first.
/// Recycled memory keeps its old bytes; the caller overwrites or clears what it binds.  Not
/// synchronised: the recorder's lock guards it.
namespace vyre {

/// The smallest class, in bytes.
inline constexpr std::uint64_t kSmallestBlock = 4096;
/// `bytes` rounded up to its class, of `classes` an octave.
std::uint64_t size_class(std::uint64_t bytes, std::uint32_t classes);
/// An error unless the policy's classes are a number that it may have.
Status check_policy(const PoolPolicy& policy);

class Pool;

/// A block on loan.  Give it back with `Pool::release`.
struct PooledBlock {
  std::unique_ptr<DriverBlock> block;
  BlockUse use = BlockUse::device;
  bool fresh = false;       ///< never used before
  std::uint64_t asked = 0;  ///< bytes that were asked for
  std::uint64_t last_used = 0;

  explicit operator bool() const { return block != nullptr; }
};

struct PoolStats {
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;  ///< allocations by the driver
  std::uint64_t evictions = 0;
  std::uint64_t idle_bytes = 0;
  std::uint64_t lent_bytes = 0;
  std::uint64_t asked_bytes = 0;  ///< of those: what was asked for
};

class Pool {
 public:
  /// `forget` is told the serial of every block before it is destroyed.  REQUIRES: `check_policy`.
  Pool(Driver& driver, const PoolPolicy& policy, std::function<void(std::uint64_t)> forget);
  ~Pool();

  /// The size of the block that `acquire` gives for `bytes`.
  [[nodiscard]] std::uint64_t block_bytes(std::uint64_t bytes) const;
  /// A block of at least `bytes`; out_of_memory if the device's buffers may not be that large.
  /// Uploads come with a host view.  When the driver is out of memory, idle blocks are dropped and
  /// it is asked once more.
  Result<PooledBlock> acquire(BlockUse use, std::uint64_t bytes);
  /// Takes a block back; an upload may still be on its way to the host.  Throws nothing: a block
  /// that cannot be shelved is dropped.
  void release(PooledBlock block);
  /// Takes a block back that cannot be used again.
  void discard(PooledBlock block);
  /// Drops idle blocks until at most `bytes` stay.
  void trim(std::uint64_t bytes = 0);

  [[nodiscard]] const PoolStats& stats() const { return stats_; }

 private:
  using Shelf = std::vector<PooledBlock>;  ///< idle blocks of one use and class, latest last

  Shelf& shelf(BlockUse use, std::uint64_t bytes);
  bool take(Shelf& shelf, PooledBlock& out);
  static bool has_room(Shelf& shelf);
  PooledBlock lend(PooledBlock block, std::uint64_t asked);
  void take_back(PooledBlock& block);
  Result<PooledBlock> allocate(BlockUse use, std::uint64_t bytes);
  bool drop_oldest();
  [[nodiscard]] std::uint64_t largest_block() const;

  Driver& driver_;
  PoolPolicy policy_;
  std::function<void(std::uint64_t)> forget_;
  std::array<std::vector<Shelf>, kBlockUses> shelves_;  ///< by use, then by class
  std::uint64_t clock_ = 0;
  PoolStats stats_;
};

}  // namespace vyre
