// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/compiled.h"
#include "runtime/prologue.h"

/// What a job has beyond others if its grid lies in a buffer.
namespace vyre {

struct Indirect {
  bool used = false;
  Variant* prologue = nullptr;
  Variant* folded = nullptr;  ///< launched beside the plain kernel; one of them with an empty grid
  IndirectParams params = {};

  std::vector<std::uint32_t> words;         ///< the private block before the prologue
  std::vector<std::uint32_t> launch_words;  ///< of the prologue itself
  std::uint64_t plain_offset = 0;           ///< of launch blocks in the private block
  std::uint64_t folded_offset = 0;
  std::uint64_t staged = 0;    ///< where `words` lie in the upload block
  std::uint64_t told = 0;      ///< where `params` and the launch block lie in theirs
  std::uint64_t readback = 0;  ///< where the record lies in the readback block
  std::uint32_t block = 0;     ///< the private block, an index into `Part::blocks`
  std::uint32_t told_block = 0;

  std::vector<BlockRange> prologue_ranges;
  std::vector<BlockRange> folded_ranges;
  std::shared_ptr<DriverBindings> prologue_bindings;
  std::shared_ptr<DriverBindings> folded_bindings;

  /// Empty, with its memory kept.
  void reset();
};

}  // namespace vyre
