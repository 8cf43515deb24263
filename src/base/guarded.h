// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <new>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "vyre/result.h"

/// The one place where lack of host memory stops.
///
/// Containers and `new` throw where the host has no memory, and so does everything of ours that
/// uses them: what was begun unwinds, locks and blocks are given back.  Whatever the world outside
/// calls (the public interface, threads, callbacks of other libraries, destructors) runs what it
/// does under `guarded`, so nothing ever leaves the library.  Any thread.
namespace vyre {

/// Stands for a text that the host has no memory for; short enough to need none.
inline constexpr std::string_view kNoMemoryText = "out of memory";

/// What `call` gives; where the host has no memory for it, what `otherwise` gives.
/// REQUIRES: `otherwise` allocates nothing.
template <typename F, typename G>
auto guarded(F&& call, G&& otherwise) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return otherwise();
  } catch (const std::length_error&) {  // more than a container can ever hold
    return otherwise();
  }
}

/// What `call` gives, a `Result`; where the host has no memory for it, that error.
template <typename F>
auto guarded(F&& call) -> decltype(call()) {
  return guarded(std::forward<F>(call), [] { return Error::host_memory(); });
}

}  // namespace vyre
