// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <utility>

/// Runs something at the end of a scope, however that is left.
namespace vyre {

/// REQUIRES: what it runs throws nothing.
template <typename F>
class [[nodiscard]] AtEnd {
 public:
  explicit AtEnd(F last) : last_(std::move(last)) {}
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() { last_(); }

 private:
  F last_;
};

}  // namespace vyre
