// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "runtime/driver.h"

/// Launch blocks that stay on the device: a program that is dispatched again with the same grid and
/// the same counts need not send them again.
///
/// Words that come for the second time get a block of their own, up to a number of blocks that is
/// never exceeded; they live as long as the cache.  Any thread.
namespace vyre {

/// Makes a block of the device that holds these words.
using UploadConstants =
    std::function<Result<std::unique_ptr<DriverBlock>>(std::span<const std::uint32_t>)>;

class LaunchCache {
 public:
  /// The block that holds `words`, and zeros up to a multiple of four words; null if there is none
  /// and none is worth its while.
  DriverBlock* find(std::span<const std::uint32_t> words, const UploadConstants& upload);

 private:
  static constexpr std::size_t kMaxBlocks = 16;
  static constexpr std::size_t kRemembered = 4;
  struct Entry {
    std::vector<std::uint32_t> words;
    std::unique_ptr<DriverBlock> block;
  };

  [[nodiscard]] bool seen_before(std::span<const std::uint32_t> words);

  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::array<std::vector<std::uint32_t>, kRemembered> seen_;  ///< the last ones without a block
  std::size_t next_seen_ = 0;
};

}  // namespace vyre
