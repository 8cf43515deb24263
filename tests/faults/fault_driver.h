// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

/// A Vulkan driver that hands every call on to another one and lets a chosen call fail.
///
/// The Vulkan loader loads it by a manifest; a test loads the same file again to steer it.  It
/// stands for hardware that leaves: once a device is lost, its work has ended, and each call that
/// may say so does, until the device is destroyed.  VYRE_FAULT_DRIVER names the driver below
/// (libvulkan_lvp.so if it is not set).  Any thread.
extern "C" {

/// The `nth` next call (0: the very next) of the function `call` answers the VkResult `result`.
/// Replaces what was chosen before; an empty name chooses none.
void fault_arm(const char* call, std::uint32_t nth, std::int32_t result);
/// How often the chosen call failed.
std::uint32_t fault_fired();
/// Forgets the counts of calls.
void fault_reset_counts();
/// The functions that can fail, and how often each was called since.  Null past the last.
const char* fault_call(std::uint32_t index);
std::uint32_t fault_count(std::uint32_t index);
/// The first launch of each pipeline to come is done so much later, as where a driver compiles
/// late.
void fault_delay_first_launch(std::uint32_t milliseconds);
}
