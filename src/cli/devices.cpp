// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/devices.h"

#include <string>
#include <vector>

#include "vyre/device.h"

#include "cli/command.h"
#include "cli/report.h"

namespace vyre::cli {
namespace {

std::string pad(std::string text, std::size_t width) {
  text.append(text.size() < width ? width - text.size() : 0, ' ');
  return text;
}

std::string abilities_of(const DeviceInfo& device) {
  std::string text;
  for (const Capability capability : device.capabilities)
    text += ", " + std::string(to_string(capability));
  return text;
}

std::string line_of(const DeviceEntry& entry, bool is_auto, std::size_t name_width) {
  const std::string mark = is_auto ? "* " : "  ";
  if (!entry.available) {
    std::string text = mark + pad(entry.info.backend, 8) + "not here: " + entry.why + "\n";
    return entry.how.empty() ? text : text + std::string(10, ' ') + "help: " + entry.how + "\n";
  }
  return mark + pad(entry.info.selector(), 8) + pad(entry.info.name, name_width) + "  " +
         std::string(to_string(entry.info.kind)) + abilities_of(entry.info) + "\n";
}

void print_table(const std::vector<DeviceEntry>& entries, std::size_t chosen) {
  std::size_t width = 0;
  for (const DeviceEntry& entry : entries) {
    if (entry.available) width = std::max(width, entry.info.name.size());
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    print(line_of(entries[i], i == chosen, width));
  print(chosen < entries.size() ? "auto takes " + entries[chosen].info.selector() + "\n"
                                : "auto takes none: VYRE_DEVICE names no device that is here\n");
}

}  // namespace

void devices(bool json) {
  const std::vector<DeviceEntry> entries = list_devices();
  const std::size_t chosen = auto_device(entries);
  json ? print(devices_report(entries, chosen)) : print_table(entries, chosen);
}

}  // namespace vyre::cli
