// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
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

Error failure(std::string_view code, const std::string& path, std::string_view what) {
  const std::string reason = std::strerror(errno);
  return {ErrorKind::io, code, "cannot " + std::string(what) + " `" + path + "`: " + reason};
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

Error longer_than(const std::string& path, std::uint64_t most) {
  return Error(ErrorKind::invalid_argument, "file-too-large",
               "`" + path + "` has more than " + std::to_string(most) +
                   " bytes, which is the most that is read of it");
}

/// The next size of a container that holds `used` bytes: twice as many, or the most that may be
/// read and one byte that tells whether there are more.
std::size_t grown(std::size_t used, std::size_t wanted, std::uint64_t most) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max(wanted, 2 * used), most + 1));
}

template <typename Container>
Result<Container> read_all(const std::string& path, std::uint64_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.valid()) return failure("cannot-open", path, "open");
  Container content;
  std::size_t used = 0;
  const std::size_t wanted = expected_size(file.get());
  while (true) {
    if (used == content.size()) {
      const std::size_t size = grown(used, wanted, most);
      if (!try_resize(content, size)) {
        return Error(ErrorKind::out_of_memory, "file-too-large",
                     "reading `" + path + "` takes " + std::to_string(size) +
                         " bytes of memory, which cannot be had");
      }
    }
    const ssize_t got = ::read(file.get(), content.data() + used, content.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot-read", path, "read");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > most) return longer_than(path, most);
  }
  content.resize(used);
  return content;
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

bool exists_irregular(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

Status write_in_place(const std::string& path, std::span<const std::byte> bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file.valid()) return failure("cannot-open", path, "open");
  if (!write_all(file.get(), bytes) || !file.close()) return failure("cannot-write", path, "write");
  return Ok{};
}

/// A name beside `path` that no other writer of this machine takes.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> count{0};
  return path + "." + std::to_string(::getpid()) + "-" + std::to_string(count++) + ".tmp";
}

/// A replaced file keeps its permissions.
bool keep_mode(int descriptor, const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) != 0 || ::fchmod(descriptor, status.st_mode & 07777U) == 0;
}

}  // namespace

Result<std::vector<std::byte>> read_file(const std::string& path, std::uint64_t most) {
  return read_all<std::vector<std::byte>>(path, most);
}

Result<std::string> read_text_file(const std::string& path, std::uint64_t most) {
  return read_all<std::string>(path, most);
}

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  if (exists_irregular(path)) return write_in_place(path, bytes);
  const std::string temporary = temporary_name(path);
  Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file.valid()) return failure("cannot-open", path, "write");
  if (write_all(file.get(), bytes) && keep_mode(file.get(), path) && file.close() &&
      ::rename(temporary.c_str(), path.c_str()) == 0) {
    return Ok{};
  }
  Error error = failure("cannot-write", path, "write");
  ::unlink(temporary.c_str());
  return error;
}

Status write_file(const std::string& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

}  // namespace vyre
