// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "vyre/dispatch.h"

/// Callbacks of jobs, in the order in which they are to be called.
///
/// A callback is allocated where it is registered; after that it only moves from list to list, so
/// that none is lost where the host has no memory.  Not synchronised.
namespace vyre {

struct Callback {
  std::uint32_t part = 0;
  std::function<void(const Pending&)> call;
  Pending pending{JobRef()};  ///< set once the job is finished
  Callback* next = nullptr;
};

class CallbackList {
 public:
  CallbackList() = default;
  CallbackList(const CallbackList&) = delete;
  CallbackList& operator=(const CallbackList&) = delete;
  ~CallbackList() { clear(); }

  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  void append(std::unique_ptr<Callback> callback) {
    Callback* const added = callback.release();
    (last_ != nullptr ? last_->next : first_) = added;
    last_ = added;
  }
  /// The first, which leaves the list; null if there is none.
  std::unique_ptr<Callback> pop() {
    std::unique_ptr<Callback> callback(first_);
    if (callback == nullptr) return nullptr;
    first_ = std::exchange(callback->next, nullptr);
    if (first_ == nullptr) last_ = nullptr;
    return callback;
  }
  void clear() {
    while (pop() != nullptr) {
    }
  }

 private:
  Callback* first_ = nullptr;
  Callback* last_ = nullptr;
};

}  // namespace vyre
