// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "base/shared_library.h"

/// Stands between the WebGPU library and Vulkan, so that the loss of a device ends no process.
///
/// The library aborts where Vulkan tells it of a loss in a submission or in a wait, and where it
/// gets a code that it does not expect.  So it is never told: the first call that answers
/// VK_ERROR_DEVICE_LOST marks the device as lost for us, and from then on the library sees a device
/// that is done with everything at once and has no memory left.  It ends its business with that
/// device in peace, and we report the loss.  A submission that fails for want of memory is lost
/// with its device too, since the library has no way to take it back.
///
/// A call costs a branch.  Any thread.
namespace vyre::wgpu {

/// Set once, when the driver gives the device up.
using LossFlag = std::shared_ptr<std::atomic<bool>>;

/// Puts the shield into the library.  Where it cannot (Vulkan is reached in another way), losses
/// are what the library makes of them.  Once, before the library is called.
void raise_shield(const SharedLibrary& library);

/// While it lives: knows the device that this thread makes.
class DeviceWatch {
 public:
  DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;
  ~DeviceWatch();
  /// The flag of the device that was made since; null where none was seen.
  [[nodiscard]] LossFlag flag() const;
};

}  // namespace vyre::wgpu
