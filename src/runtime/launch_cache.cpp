// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/launch_cache.h"

#include <algorithm>

#include "base/align.h"

namespace vyre {

DriverBlock* LaunchCache::find(std::span<const std::uint32_t> words,
                               const UploadConstants& upload) {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (std::equal(words.begin(), words.end(), entry.words.begin(), entry.words.end()))
      return entry.block.get();
  if (entries_.size() == kMaxBlocks || !seen_before(words)) return nullptr;
  Entry entry = {{words.begin(), words.end()}, nullptr};
  std::vector<std::uint32_t> padded = entry.words;
  padded.resize(align_to(padded.size(), 4));
  auto block = upload(padded);
  if (!block) return nullptr;  // the dispatch brings its words along, as ever
  entry.block = *std::move(block);
  entries_.push_back(std::move(entry));
  return entries_.back().block.get();
}

bool LaunchCache::seen_before(std::span<const std::uint32_t> words) {
  for (const auto& seen : seen_)
    if (std::equal(words.begin(), words.end(), seen.begin(), seen.end())) return true;
  seen_[next_seen_].assign(words.begin(), words.end());
  next_seen_ = (next_seen_ + 1) % kRemembered;
  return false;
}

}  // namespace vyre
