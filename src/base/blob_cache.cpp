// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/blob_cache.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file.h"
#include "base/guarded.h"

namespace vyre {
namespace {

constexpr std::string_view kMagic = "vyre blob 1\n";
constexpr std::string_view kSuffix = ".blob";
constexpr std::string_view kTemporary = ".tmp";
constexpr std::time_t kAbandoned = 3600;  ///< seconds after which nobody still writes a file

// A file: checksum of what follows, then magic, key and blob, each after its length.
BlobCache::Blob pack(std::string_view key, std::span<const std::byte> blob) {
  ByteWriter body;
  body.put(kMagic);
  body.put(key);
  body.put(blob);
  const BlobCache::Blob content = body.take();
  const Hash128 hash = hash_bytes(content);
  ByteWriter file;
  file.put(hash.high);
  file.put(hash.low);
  file.put(std::span<const std::byte>(content));
  return file.take();
}

std::optional<BlobCache::Blob> unpack(std::span<const std::byte> bytes, std::string_view key) {
  ByteReader file(bytes);
  const Hash128 hash = {file.get<std::uint64_t>(), file.get<std::uint64_t>()};
  const auto content = file.get_bytes();
  if (!file.done() || hash_bytes(content) != hash) return std::nullopt;
  ByteReader body(content);
  const bool same = body.get_text() == kMagic && body.get_text() == key;
  const auto blob = body.get_bytes();
  if (!same || !body.done()) return std::nullopt;
  return BlobCache::Blob(blob.begin(), blob.end());
}

/// A regular file of this user's: what others wrote is not run.
bool is_ours(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         status.st_uid == ::geteuid();
}

bool exists(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// Makes the folder and those above it, as far as they are missing.
void make_folder(const std::string& folder) {
  if (exists(folder)) return;
  for (std::size_t at = folder.find('/', 1); at != std::string::npos; at = folder.find('/', at + 1))
    ::mkdir(folder.substr(0, at).c_str(), 0700);
  ::mkdir(folder.c_str(), 0700);
}

struct File {
  std::string path;
  std::uint64_t size;
  std::time_t used;
};

/// Takes `text` off the front of `from`, if it is there.
bool skip(std::string_view& from, std::string_view text) {
  const bool there = from.starts_with(text);
  if (there) from.remove_prefix(text.size());
  return there;
}

/// Takes one or more (or exactly `count`) of these characters off the front.
bool skip_some(std::string_view& from, std::string_view of, std::size_t count = 0) {
  const std::size_t run = std::min(from.find_first_not_of(of), from.size());
  if (run == 0 || (count != 0 && run != count)) return false;
  from.remove_prefix(run);
  return true;
}

enum class Name : std::uint8_t { foreign, blob, draft };

/// What a name tells: "<32 hexadecimal digits>.blob", and ".<process>-<number>.tmp" behind it while
/// `write_file` is at it.
Name classify(std::string_view name) {
  constexpr std::string_view kDecimal = "0123456789";
  if (!skip_some(name, "0123456789abcdef", 32) || !skip(name, kSuffix)) return Name::foreign;
  if (name.empty()) return Name::blob;
  const bool numbered =
      skip(name, ".") && skip_some(name, kDecimal) && skip(name, "-") && skip_some(name, kDecimal);
  return numbered && name == kTemporary ? Name::draft : Name::foreign;
}

/// Whether a file begins as ours do, as far as it goes: a draft may be torn, a blob is not.
bool begins_as_ours(const std::string& path, bool torn) {
  const BlobCache::Blob ours = pack({}, {});
  constexpr std::size_t kLengthsAt = 16;  // the checksum's bytes may be any
  constexpr std::size_t kMagicAt = kLengthsAt + 2 * sizeof(std::uint64_t);
  std::byte head[kMagicAt + kMagic.size()] = {};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const ssize_t got = file < 0 ? -1 : ::read(file, head, sizeof head);
  if (file >= 0) ::close(file);
  const auto size = static_cast<std::size_t>(std::max<ssize_t>(got, 0));
  if (got < 0 || (!torn && size != sizeof head)) return false;
  const auto same = [&](std::size_t from, std::size_t to) {
    return std::equal(head + std::min(from, size), head + std::min(to, size),
                      ours.begin() + static_cast<std::ptrdiff_t>(std::min(from, size)));
  };
  return same(kMagicAt - sizeof(std::uint64_t), sizeof head);
}

/// The cache's own files, by their names and by how they begin; whatever else lies there is left
/// alone.  Drafts that nobody writes any more are removed.
std::vector<File> list_files(const std::string& folder) {
  std::vector<File> files;
  DIR* const directory = ::opendir(folder.c_str());
  if (directory == nullptr) return files;
  while (const dirent* entry = ::readdir(directory)) {
    const Name name = classify(entry->d_name);
    const std::string path = folder + "/" + entry->d_name;
    struct stat status = {};
    if (name == Name::foreign || !is_ours(path) || ::lstat(path.c_str(), &status) != 0) continue;
    if (!begins_as_ours(path, name == Name::draft)) continue;
    if (name == Name::blob)
      files.push_back({path, static_cast<std::uint64_t>(status.st_size), status.st_mtime});
    else if (status.st_mtime + kAbandoned < std::time(nullptr))
      ::unlink(path.c_str());
  }
  ::closedir(directory);
  return files;
}

std::string folder_in(const char* variable, std::string_view below) {
  const char* const base = std::getenv(variable);
  if (base == nullptr || base[0] != '/') return {};
  return base + std::string(below);
}

}  // namespace

std::string BlobCache::default_folder() {
  if (const char* const named = std::getenv("VYRE_CACHE_DIR")) return named;
  const std::string shared = folder_in("XDG_CACHE_HOME", "/vyre");
  return shared.empty() ? folder_in("HOME", "/.cache/vyre") : shared;
}

BlobCache& BlobCache::of_process() {
  static auto* cache = new BlobCache(default_folder());
  return *cache;
}

std::string BlobCache::path_of(std::string_view key) const {
  return folder_ + "/" + hash_text(key).to_hex() + std::string(kSuffix);
}

BlobCache::Stats BlobCache::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

std::optional<BlobCache::Blob> BlobCache::recall(std::string_view key) {
  const auto found = index_.find(hash_text(key));
  if (found == index_.end() || found->second->key != key) return std::nullopt;
  entries_.splice(entries_.begin(), entries_, found->second);
  return entries_.front().blob;
}

void BlobCache::remember(std::string_view key, Blob blob) {
  const auto size_of = [](const Entry& entry) { return entry.key.size() + entry.blob.size(); };
  const auto drop = [&](std::list<Entry>::iterator entry) {
    memory_bytes_ -= size_of(*entry);
    index_.erase(hash_text(entry->key));
    entries_.erase(entry);
  };
  if (const auto old = index_.find(hash_text(key)); old != index_.end()) drop(old->second);
  if (key.size() + blob.size() > limits_.memory_bytes) return;
  std::list<Entry> added;
  added.push_front({std::string(key), std::move(blob)});
  index_[hash_text(key)] = added.begin();
  entries_.splice(entries_.begin(), added);  // from here on nothing can fail
  memory_bytes_ += size_of(entries_.front());
  while (memory_bytes_ > limits_.memory_bytes)
    drop(std::prev(entries_.end()));
}

std::optional<BlobCache::Blob> BlobCache::load(std::string_view key) {
  return guarded([&] { return find(key); }, [] { return std::optional<Blob>(); });
}

void BlobCache::store(std::string_view key, std::span<const std::byte> blob) {
  guarded([&] { keep(key, blob); }, [] {});
}

std::optional<BlobCache::Blob> BlobCache::find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  if (auto known = recall(key)) {
    ++stats_.memory_hits;
    return known;
  }
  const std::string path = path_of(key);
  if (!folder_.empty() && exists(path)) {
    std::optional<Blob> blob;
    if (is_ours(path))
      if (const auto file = read_file(path)) blob = unpack(*file, key);
    if (blob) {
      ++stats_.file_hits;
      ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);  // used now
      remember(key, *blob);
      return blob;
    }
    ++stats_.faults;
  }
  ++stats_.misses;
  return std::nullopt;
}

void BlobCache::keep(std::string_view key, std::span<const std::byte> blob) {
  const std::lock_guard lock(mutex_);
  remember(key, Blob(blob.begin(), blob.end()));
  if (folder_.empty()) return;
  const Blob file = pack(key, blob);
  if (file.size() > limits_.folder_bytes) return;
  make_folder(folder_);
  make_room(file.size());
  const std::string path = path_of(key);
  if (exists(path) && !is_ours(path)) return;
  [[maybe_unused]] const Status written = write_file(path, std::span<const std::byte>(file));
}

/// Removes files until the folder holds three quarters of what it may, so that this is rare.
void BlobCache::make_room(std::uint64_t added) {
  if (folder_bytes_ && *folder_bytes_ + added <= limits_.folder_bytes) {
    *folder_bytes_ += added;
    return;
  }
  std::vector<File> files = list_files(folder_);
  std::uint64_t total = added;
  for (const File& file : files)
    total += file.size;
  std::sort(files.begin(), files.end(),
            [](const File& a, const File& b) { return a.used < b.used; });
  const std::uint64_t kept = total <= limits_.folder_bytes ? total : limits_.folder_bytes / 4 * 3;
  for (const File& file : files) {
    if (total <= kept) break;
    ::unlink(file.path.c_str());
    total -= file.size;
  }
  folder_bytes_ = total;
}

}  // namespace vyre
