// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

/// What must know whether it was made in this process or before a fork.
///
/// Of a process that forks, the child has one thread and none of the others' locks, drivers'
/// threads included: what was made before belongs to the parent alone.  Any thread; a look costs a
/// load.
namespace vyre {

class Origin {
 public:
  Origin() : process_(current()) {}
  /// True in a child of the process that made it.
  [[nodiscard]] bool is_foreign() const { return process_ != current(); }

 private:
  /// Another number in each child.
  static std::uint32_t current();

  std::uint32_t process_;
};

/// Lets an object be, for good: in a child, to destroy it would wait for threads that are not
/// there.
template <typename T>
void abandon(T&& object) {
  [[maybe_unused]] const auto* const kept =
      new (std::nothrow) std::remove_cvref_t<T>(std::forward<T>(object));
}

}  // namespace vyre
