// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <new>
#include <optional>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

namespace vyre {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] bool valid() const { return value_ >= 0; }
  /// False when the system reports a late failure to write.
  bool close() {
    const int value = std::exchange(value_, -1);
    return value < 0 || ::close(value) == 0;
  }

 private:
  int value_;
};

/// `what` it is that `name` could not be: "open", "read".  The name is that of a file in
/// backquotes, or standard input.
Error failure_of(std::string_view code, const std::string& name, std::string_view what) {
  const std::string reason = std::strerror(errno);
  return {ErrorKind::io, code, "cannot " + std::string(what) + " " + name + ": " + reason};
}
Error failure(std::string_view code, const std::string& path, std::string_view what) {
  return failure_of(code, "`" + path + "`", what);
}

constexpr std::size_t kChunk = std::size_t{1} << 16;

/// How much to read before the first growth: the size of a regular file, and one byte more so
/// that its end is seen without growing.
std::size_t expected_size(int descriptor) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0 || status.st_size <= 0) return kChunk;
  return static_cast<std::size_t>(status.st_size) + 1;
}

/// Asks first whether there is memory, because a container aborts where there is none, and the
/// size of a file is not ours to choose.
template <typename Container>
bool try_resize(Container& container, std::size_t size) {
  void* probe = ::operator new(size, std::nothrow);
  ::operator delete(probe);
  if (probe == nullptr) return false;
  container.resize(size);
  return true;
}

Error longer_than(const std::string& name, std::uint64_t most) {
  return Error(ErrorKind::invalid_argument, "file-too-large",
               name + " has more than " + std::to_string(most) +
                   " bytes, which is the most that is read of it");
}

/// The next size of a container that holds `used` bytes: twice as many, or the most that may be
/// read and one byte that tells whether there are more.
std::size_t grown(std::size_t used, std::size_t wanted, std::uint64_t most) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, 2 * used), most + 1));
}

template <typename Container>
Result<Container> read_all(int descriptor, const std::string& name, std::uint64_t most) {
  Container content;
  std::size_t used = 0;
  const std::size_t wanted = expected_size(descriptor);
  while (true) {
    if (used == content.size()) {
      const std::size_t size = grown(used, wanted, most);
      if (!try_resize(content, size)) {
        return Error(ErrorKind::out_of_memory, "file-too-large",
                     "reading " + name + " takes " + std::to_string(size) +
                         " bytes of memory, which cannot be had");
      }
    }
    const ssize_t got = ::read(descriptor, content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure_of("cannot-read", name, "read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > most) return longer_than(name, most);
  }
  content.resize(used);
  return content;
}

template <typename Container>
Result<Container> read_named(const std::string& path, std::uint64_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failure("cannot-open", path, "open");
  return read_all<Container>(file.get(), "`" + path + "`", most);
}

bool write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(descriptor, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return true;
}

/// The folder of a path, with its slash; empty for the working folder.
std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// A link of /proc stands for an open file, and not for a name.
bool is_open_file(const std::string& path) {
  struct stat link = {};
  struct stat proc = {};
  return ::lstat(path.c_str(), &link) == 0 && ::stat("/proc", &proc) == 0 &&
         link.st_dev == proc.st_dev;
}

/// Where a chain of links ends, whether or not a file is there.
std::string follow_links(std::string path) {
  constexpr int kMostLinks = 40;  // as the system
  std::string target(PATH_MAX, '\0');
  for (int links = 0; links < kMostLinks && !is_open_file(path); ++links) {
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size <= 0) break;
    const std::string next = target.substr(0, static_cast<std::size_t>(size));
    path = next.starts_with('/') ? next : folder_of(path) + next;
  }
  return path;
}

/// Something that is there and no regular file; of a path without links.
bool is_irregular(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Status write_in_place(const std::string& path, std::span<const std::byte> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return failure("cannot-open", path, "open");
  if (!write_all(file.get(), bytes) || !file.close()) return failure("cannot-write", path, "write");
  return Ok{};
}

/// The names of files that are being written.  Whoever makes, publishes or removes one holds the
/// mutex, so that `abandon_writes` misses none.
struct Drafts {
  std::mutex mutex;
  std::vector<std::string> names;
};
Drafts& drafts() {
  static auto* all = new Drafts;  // threads may outlive `main`
  return *all;
}

/// A file beside `target` that takes its place once it is whole; removed if it never is.
class Draft {
 public:
  explicit Draft(const std::string& target) : target_(target) {
    const std::lock_guard lock(drafts().mutex);
    std::vector<std::string>& names = drafts().names;
    names.reserve(names.size() + 1);  // once the file is there, no memory may be missing
    std::string listed;
    do {
      name_ = next_name(target);
      listed = name_;
      file_.emplace(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    } while (!file_->valid() && errno == EEXIST);  // left by a process of the same number
    if (file_->valid()) names.push_back(std::move(listed));
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    const std::lock_guard lock(drafts().mutex);
    if (std::erase(drafts().names, name_) != 0) ::unlink(name_.c_str());
  }

  [[nodiscard]] bool valid() const { return file_->valid(); }
  bool fill(std::span<const std::byte> bytes) {
    return write_all(file_->get(), bytes) && keep_mode() && file_->close();
  }
  bool publish() {
    const std::lock_guard lock(drafts().mutex);
    if (::rename(name_.c_str(), target_.c_str()) != 0) return false;
    std::erase(drafts().names, name_);
    return true;
  }

 private:
  static std::string next_name(const std::string& target) {
    static std::atomic<unsigned> count{0};
    return target + "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp";
  }
  /// A replaced file keeps its permissions.
  [[nodiscard]] bool keep_mode() const {
    struct stat status = {};
    return ::stat(target_.c_str(), &status) != 0 ||
           ::fchmod(file_->get(), status.st_mode & 07777U) == 0;
  }

  std::string target_;
  std::string name_;
  std::optional<Descriptor> file_;
};

/// The reason, as an error number, that `target` cannot be replaced; 0 if none is known.
int refusal(const std::string& target) {
  struct stat status = {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) return EISDIR;
  // The system lets root write what nobody may write; whoever made it so meant root too.
  const bool read_only = exists && S_ISREG(status.st_mode) && (status.st_mode & 0222U) == 0;
  if (read_only || (exists && ::access(target.c_str(), W_OK) != 0)) return EACCES;
  if (is_irregular(target)) return 0;
  const std::string folder = folder_of(target);
  return ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0 ? 0 : errno;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t most) {
  return read_named<std::vector<std::byte>>(path, most);
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t most) {
  return read_named<std::string>(path, most);
}

Result<std::vector<std::byte>> read_standard_input(std::uint64_t most) {
  return read_all<std::vector<std::byte>>(STDIN_FILENO, "standard input", most);
}

Result<std::string> read_standard_text(std::uint64_t most) {
  return read_all<std::string>(STDIN_FILENO, "standard input", most);
}

Status check_writable(const std::string& path) {
  const int reason = refusal(follow_links(path));
  if (reason == 0) return Ok{};
  errno = reason;
  return failure("cannot-open", path, "write");
}

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  VYRE_CHECK_OK(check_writable(path));
  const std::string target = follow_links(path);
  if (is_irregular(target)) return write_in_place(target, bytes);
  Draft draft(target);
  if (!draft.valid()) return failure("cannot-open", path, "write");
  if (draft.fill(bytes) && draft.publish()) return Ok{};
  return failure("cannot-write", path, "write");
}

Status write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

std::optional<FileIdentity> identity_of(const std::string& path) {
  const std::string target = follow_links(path);
  if (is_irregular(target)) return std::nullopt;
  const std::string folder = folder_of(target);
  struct stat status = {};
  if (::stat(folder.empty() ? "." : folder.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino, target.substr(folder.size())};
}

void abandon_writes() {
  Drafts& all = drafts();
  all.mutex.lock();  // and never unlocked: no other file begins
  for (const std::string& name : all.names)
    ::unlink(name.c_str());
}

}  // namespace vyre
