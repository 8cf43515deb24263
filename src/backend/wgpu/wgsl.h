// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lower/lower.h"

/// WGSL text of lowered programs.  Needs no WebGPU library and no header of it.
namespace vyre::wgpu {

enum class BindingKind : std::uint8_t { uniform, read_only_storage, storage };

/// One entry of bind group 0; its number is its position in `KernelSource::bindings`.
struct KernelBinding {
  BufferId buffer = kNone<BufferId>;  ///< none: the launch block
  BindingKind kind = BindingKind::storage;
  std::uint64_t min_bytes = 0;  ///< the smallest range that may be bound
  std::string name;             ///< as the text calls it
};

/// A kernel as text, and what the recorder must bind to it.
struct KernelSource {
  std::string text;
  std::string entry;
  std::vector<KernelBinding> bindings;
  std::uint32_t launch_words = 0;  ///< 0: no launch block; else the last binding is one
};

/// Spells a lowered program.  Pure; any thread.
/// REQUIRES: `lowered` was made for a target of WGSL.
KernelSource print_wgsl(const Lowered& lowered);

}  // namespace vyre::wgpu
