// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "vyre/result.h"

#include "case.h"

namespace vyre::bench {

/// A case on the bare WebGPU API: the file's own text, as a program without this library runs it.
/// Binding i is buffer i of the case.  It has run once.  One thread.
class OnWebGpu {
 public:
  /// REQUIRES: the process has opened `wgpu:adapter` with the library, which loads the API.
  static Result<OnWebGpu> make(std::uint32_t adapter,
                               const Case& work,
                               const std::string& text,
                               const std::string& entry);
  [[nodiscard]] Status run() const;
  [[nodiscard]] Result<Bytes> content(std::size_t buffer, std::size_t size) const;

 private:
  struct Impl;
  explicit OnWebGpu(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

  std::shared_ptr<Impl> impl_;
};

}  // namespace vyre::bench
