// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/backend.h"

// Stands in where vyre is built without the WebGPU headers: it says so, and opens nothing.
namespace vyre::wgpu {
namespace {

constexpr const char* kWhy = "this build of vyre has no WebGPU backend";
constexpr const char* kHow =
    "run `./dev setup` before vyre is configured, or let VYRE_WGPU_DIR name the folder of webgpu.h "
    "(and do not set VYRE_WGPU to OFF)";

std::vector<DeviceEntry> list() {
  DeviceEntry entry;
  entry.info.backend = "wgpu";
  entry.why = kWhy;
  entry.how = kHow;
  return {entry};
}

Result<std::unique_ptr<Driver>> open(std::uint32_t) {
  return Error(ErrorKind::unavailable, "no-such-device", kWhy, kHow);
}

constexpr Backend kBackend = {.name = "wgpu", .list = list, .open = open};

}  // namespace

const Backend& backend() {
  return kBackend;
}

}  // namespace vyre::wgpu
