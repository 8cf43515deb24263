// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/hash.h"

/// Bytes by key, in memory and in a folder that outlives the process.
///
/// A cache never makes anything fail: what is not there, cannot be read, is torn, foreign or
/// another's is a miss, and what cannot be written, or has no room in memory, is not kept.  Files
/// are replaced at once and carry their key and a checksum, so any number of processes may share
/// the folder.  Both places are bounded; what was used longest ago goes first.  Any thread.
namespace vyre {

class BlobCache {
 public:
  using Blob = std::vector<std::byte>;

  struct Limits {
    std::uint64_t memory_bytes = std::uint64_t{16} << 20;
    std::uint64_t folder_bytes = std::uint64_t{64} << 20;
  };
  struct Stats {
    std::uint64_t memory_hits = 0;
    std::uint64_t file_hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t faults = 0;  ///< of the misses: a file was there, and was not right
  };

  /// Without a folder (an empty name) it keeps to memory.  The folder is made when it is needed.
  explicit BlobCache(std::string folder) : BlobCache(std::move(folder), Limits()) {}
  BlobCache(std::string folder, Limits limits) : folder_(std::move(folder)), limits_(limits) {}

  [[nodiscard]] std::optional<Blob> load(std::string_view key);
  void store(std::string_view key, std::span<const std::byte> blob);

  [[nodiscard]] const std::string& folder() const { return folder_; }
  [[nodiscard]] Stats stats() const;
  /// Where the file of a key is.
  [[nodiscard]] std::string path_of(std::string_view key) const;

  /// The one of this process, in `default_folder`; never destroyed.
  static BlobCache& of_process();
  /// What VYRE_CACHE_DIR names (empty: none), else vyre/ in XDG_CACHE_HOME or in .cache/ of HOME.
  static std::string default_folder();

 private:
  struct Entry {
    std::string key;
    Blob blob;
  };

  std::optional<Blob> find(std::string_view key);
  void keep(std::string_view key, std::span<const std::byte> blob);
  void remember(std::string_view key, Blob blob);
  std::optional<Blob> recall(std::string_view key);
  void make_room(std::uint64_t added);

  const std::string folder_;
  const Limits limits_;
  mutable std::mutex mutex_;
  std::list<Entry> entries_;  ///< the latest first
  std::unordered_map<Hash128, std::list<Entry>::iterator, Hash128Hasher> index_;
  std::uint64_t memory_bytes_ = 0;
  std::optional<std::uint64_t> folder_bytes_;  ///< as far as known; empty: nobody has looked
  Stats stats_;
};

}  // namespace vyre
