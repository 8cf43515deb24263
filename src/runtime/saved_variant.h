// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/compiled.h"

/// What is kept of a compiled variant: the driver's kernel and the plan around it, as bytes.
///
/// Pure; any thread.
namespace vyre {

struct SavedVariant {
  std::vector<Slot> slots;
  std::vector<LaunchWord> launch;
  std::vector<std::vector<std::uint32_t>> constants;  ///< by `Slot::binding` of constants slots
  std::vector<std::byte> kernel;                      ///< as the driver saved it
};

std::vector<std::byte> to_bytes(const SavedVariant& variant);
/// Nothing if the bytes are none of ours, or do not fit a program with `bindings` buffers.
std::optional<SavedVariant> read_variant(std::span<const std::byte> bytes, std::size_t bindings);

/// Everything that the bytes depend on: the program, the target, the device and its driver, and the
/// version of the stages that make kernels.
std::string variant_key(const Hash& program, const DeviceInfo& device, const Target& target);

}  // namespace vyre
