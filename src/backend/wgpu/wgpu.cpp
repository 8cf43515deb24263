// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/backend.h"
#include "backend/wgpu/adapters.h"
#include "backend/wgpu/driver.h"

namespace vyre::wgpu {
namespace {

DeviceEntry absent(std::string why, std::string how) {
  DeviceEntry entry;
  entry.info.backend = "wgpu";
  entry.why = std::move(why);
  entry.how = std::move(how);
  return entry;
}

DeviceEntry no_adapter() {
  return absent("no driver for Vulkan, Metal or DX12 offers a device",
                "install the driver of the graphics card, or a software one: on Debian "
                "mesa-vulkan-drivers");
}

std::vector<DeviceEntry> list() {
  auto adapters = find_adapters();
  if (!adapters) return {absent(adapters.error().message(), adapters.error().help())};
  std::vector<DeviceEntry> entries;
  for (const Adapter& adapter : *adapters)
    entries.push_back({.info = adapter.info, .available = true});
  if (entries.empty()) entries.push_back(no_adapter());
  return entries;
}

Result<std::unique_ptr<Driver>> open(std::uint32_t number) {
  VYRE_TRY(auto adapters, find_adapters());
  if (number < adapters.size()) return open_driver(std::move(adapters[number]));
  const DeviceEntry none = no_adapter();
  if (adapters.empty()) return Error(ErrorKind::unavailable, "no-device", none.why, none.how);
  return Error(ErrorKind::unavailable, "no-device",
               "there is no device `wgpu:" + std::to_string(number) + "`; there are " +
                   std::to_string(adapters.size()),
               "`vyre devices` lists them");
}

constexpr Backend kBackend = {.name = "wgpu", .list = list, .open = open};

}  // namespace

const Backend& backend() {
  return kBackend;
}

}  // namespace vyre::wgpu
