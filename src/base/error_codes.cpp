// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/error_codes.h"

#include <array>

#include "base/kebab_name.h"

namespace vyre {
namespace {

#define ERROR(name, ...) constexpr KebabName kErrorName_##name(#name);
#include "base/errors.def"

constexpr auto kErrorCodes = [] {
  using enum ErrorKind;
  return std::to_array<ErrorCodeInfo>({
#define ERROR(id, ...) {.name = kErrorName_##id.view(), __VA_ARGS__},
#include "base/errors.def"
  });
}();

constexpr auto kKinds = [] {
  using enum ErrorKind;
  return std::to_array({invalid_argument, unsupported, unavailable, out_of_memory, device_lost,
                        timeout, trapped, compile_failed, io});
}();

}  // namespace

std::span<const ErrorCodeInfo> all_error_codes() {
  return kErrorCodes;
}

std::span<const ErrorKind> all_error_kinds() {
  return kKinds;
}

std::string_view meaning_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument: return "the call or its data is wrong";
    case ErrorKind::unsupported: return "it is legal, and this device cannot do it";
    case ErrorKind::unavailable: return "there is no such device or library here";
    case ErrorKind::out_of_memory: return "the device, the host or the budget has no room";
    case ErrorKind::device_lost: return "the driver gave the device up";
    case ErrorKind::timeout: return "the deadline passed";
    case ErrorKind::trapped: return "the kernel stopped itself";
    case ErrorKind::compile_failed: return "a driver refused what was made of the program";
    case ErrorKind::io: return "a file cannot be read or written";
  }
  return "";
}

}  // namespace vyre
