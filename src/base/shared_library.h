// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

#include "vyre/result.h"

/// A library loaded at run time.
///
/// Symbols are resolved at once and stay private to the handle.  The object owns the handle and
/// unloads the library when it goes; movable, not copyable.  Errors are of kind `unavailable`.
namespace vyre {

class SharedLibrary {
 public:
  /// Loads `path`; a name without '/' is searched for as the system does.
  static Result<SharedLibrary> open(const std::string& path);

  SharedLibrary(SharedLibrary&& other) noexcept;
  SharedLibrary& operator=(SharedLibrary&& other) noexcept;
  ~SharedLibrary();

  [[nodiscard]] const std::string& path() const { return path_; }

  /// The address of `name`, or null when the library has no such symbol.
  [[nodiscard]] void* find(const char* name) const;
  /// The address of `name`, or an error that names both.
  [[nodiscard]] Result<void*> require(const char* name) const;

  /// Lets every call that this library makes of the function `name`, which it takes from another
  /// library, go to `instead`.  False, and nothing is changed, where it takes none of that name or
  /// where the system does not let us.  Before any other thread calls the library.
  [[nodiscard]] bool replace_import(const char* name, void* instead) const;

 private:
  SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}

  void* handle_ = nullptr;
  std::string path_;
};

}  // namespace vyre
