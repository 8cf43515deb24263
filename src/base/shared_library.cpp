// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/shared_library.h"

#include <dlfcn.h>
#include <utility>

namespace vyre {
namespace {

std::string last_reason() {
  const char* reason = ::dlerror();
  return reason != nullptr ? reason : "no reason given";
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error(ErrorKind::unavailable, "library-not-loaded",
                 "cannot load `" + path + "`: " + last_reason());
  }
  return SharedLibrary(handle, path);
}

SharedLibrary::SharedLibrary(SharedLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}

SharedLibrary& SharedLibrary::operator=(SharedLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(path_, other.path_);
  return *this;
}

SharedLibrary::~SharedLibrary() {
  if (handle_ != nullptr) ::dlclose(handle_);
}

void* SharedLibrary::find(const char* name) const {
  return ::dlsym(handle_, name);
}

Result<void*> SharedLibrary::require(const char* name) const {
  void* address = find(name);
  if (address == nullptr) {
    return Error(ErrorKind::unavailable, "symbol-not-found",
                 "`" + path_ + "` has no symbol `" + name + "`");
  }
  return address;
}

}  // namespace vyre
