// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "backend/backend.h"
#include "backend/device.h"
#include "backend/needs.h"
#include "base/blob_cache.h"
#include "base/check.h"
#include "base/guarded.h"

// Where devices are listed and opened: the one place that knows every backend.
namespace vyre {

#define VYRE_BACKEND(name)  \
  namespace name {          \
  const Backend& backend(); \
  }
#include "backend/backends.inc"
#undef VYRE_BACKEND

namespace {

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The order in which "auto" prefers devices; a software GPU is never taken unasked.
int rank(const DeviceEntry& entry) {
  if (!entry.available) return 100;
  switch (entry.info.kind) {
    case DeviceKind::discrete: return entry.info.backend == "cuda" ? 0 : 1;
    case DeviceKind::integrated: return 2;
    case DeviceKind::virtual_gpu: return 3;
    case DeviceKind::cpu: return 4;
    case DeviceKind::other: return 5;
    case DeviceKind::software: return 50;
  }
  VYRE_UNREACHABLE();
}

const Backend* find_backend(std::string_view name) {
  for (const Backend* backend : backends())
    if (backend->name == name) return backend;
  return nullptr;
}

/// "wgpu:1" → backend and number; a plain backend's name has no number.
struct Selector {
  const Backend* backend = nullptr;
  std::optional<std::uint32_t> number;
};
std::optional<Selector> parse_selector(std::string_view which) {
  const std::size_t colon = which.find(':');
  Selector result{find_backend(which.substr(0, colon)), {}};
  if (result.backend == nullptr) return std::nullopt;
  if (colon == std::string_view::npos) return result;
  const std::string_view digits = which.substr(colon + 1);
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  result.number = number;
  return result;
}

/// True if `which` is a part of the device's name.
bool has_name(const DeviceEntry& entry, std::string_view which) {
  return lower_case(entry.info.name).find(lower_case(which)) != std::string::npos;
}

bool matches(const DeviceEntry& entry, std::string_view which) {
  const auto selector = parse_selector(which);
  if (!selector) return has_name(entry, which);
  return entry.info.backend == selector->backend->name &&
         (!selector->number || entry.info.number == *selector->number);
}

/// What "auto" stands for: a name from the environment, or "auto" itself.
std::string_view auto_name() {
  const char* const name = std::getenv("VYRE_DEVICE");
  return name == nullptr || *name == '\0' ? "auto" : std::string_view(name);
}

/// What `list_devices` gives; throws where the host has no memory for it.
std::vector<DeviceEntry> list_all() {
  std::vector<DeviceEntry> all;
  for (const Backend* backend : backends()) {
    if (backend->hidden) continue;
    for (DeviceEntry& entry : backend->list())
      all.push_back(std::move(entry));
  }
  return all;
}

std::string list_text(std::span<const DeviceEntry> devices) {
  std::string text;
  for (const DeviceEntry& entry : devices)
    if (entry.available)
      text += (text.empty() ? "" : ", ") + entry.info.selector() + " (" + entry.info.name + ")";
  return text;
}

Error no_such_device(std::string_view which, std::string_view why, std::string_view how) {
  const auto devices = list_all();
  std::string message = "no device matches `" + std::string(which) + "`";
  if (!why.empty()) message += ": " + std::string(why);
  return Error(ErrorKind::unavailable, "no-such-device", std::move(message),
               how.empty() ? "here are " + list_text(devices) : std::string(how));
}

/// A software GPU is taken only when asked for, and then only if the caller allows it.
bool allowed(const DeviceEntry& entry, const OpenOptions& options) {
  return entry.available && !(options.refuse_software && entry.info.kind == DeviceKind::software);
}

using Chosen = std::pair<const Backend*, std::uint32_t>;

/// The first of the candidates that has what is asked for.  REQUIRES: there are candidates.
Result<Chosen> choose_by_needs(std::span<const DeviceEntry> candidates, const Needs& needs) {
  for (const DeviceEntry& entry : candidates)
    if (lacking(entry.info, needs).empty())
      return Chosen(find_backend(entry.info.backend), entry.info.number);
  return Error(ErrorKind::unsupported, "needs-not-met", lacking(candidates.front().info, needs),
               "remove or lower what OpenOptions::needs asks for, or choose another device");
}

Result<Chosen> choose_best(const OpenOptions& options) {
  auto devices = list_all();
  const DeviceEntry best = devices[auto_device(devices)];
  for (DeviceEntry& entry : devices)
    if (entry.available) entry.available = lacking(entry.info, options.needs).empty();
  const DeviceEntry& having = devices[auto_device(devices)];
  return choose_by_needs(std::span(having.available ? &having : &best, 1), options.needs);
}

Result<Chosen> choose(std::string_view which, const OpenOptions& options) {
  if (which == "auto") return choose_best(options);
  const auto selector = parse_selector(which);
  const auto devices = selector ? selector->backend->list() : list_all();
  std::vector<DeviceEntry> candidates;
  for (const DeviceEntry& entry : devices)
    if (allowed(entry, options) && matches(entry, which)) candidates.push_back(entry);
  if (!candidates.empty()) return choose_by_needs(candidates, options.needs);
  if (!selector || devices.empty()) return no_such_device(which, {}, {});
  const bool refused = devices.front().available && options.refuse_software;
  return no_such_device(which, refused ? "only software devices are here" : devices.front().why,
                        devices.front().how);
}

}  // namespace

std::span<const Backend* const> backends() {
  static const Backend* const kRows[] = {
#define VYRE_BACKEND(name) &name::backend(),
#include "backend/backends.inc"
#undef VYRE_BACKEND
  };
  return kRows;
}

std::vector<DeviceEntry> list_devices() {
  return guarded([] { return list_all(); }, [] { return std::vector<DeviceEntry>(); });
}

static std::size_t find_auto(std::span<const DeviceEntry> devices) {
  const std::string_view wanted = auto_name();
  const auto best =
      wanted != "auto"
          ? std::find_if(devices.begin(), devices.end(),
                         [&](const DeviceEntry& e) { return e.available && matches(e, wanted); })
          : std::min_element(
                devices.begin(), devices.end(),
                [](const DeviceEntry& a, const DeviceEntry& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(best - devices.begin());
}

std::size_t auto_device(std::span<const DeviceEntry> devices) {
  return guarded([&] { return find_auto(devices); }, [&] { return devices.size(); });
}

static Result<Device> open_device(std::string_view which, const OpenOptions& options) {
  VYRE_CHECK_OK(check_policy(options.pool));
  const bool is_auto = which.empty() || which == "auto";
  const std::string wanted(is_auto ? auto_name() : which);
  auto found = choose(wanted, options);
  if (!found && is_auto && wanted != "auto")
    return std::move(found).error().with("VYRE_DEVICE is `" + wanted + "`");
  VYRE_TRY(const auto chosen, std::move(found));
  VYRE_TRY(Trace* const trace,
           options.trace.empty() ? Trace::from_environment() : Trace::to(options.trace));
  const auto [backend, number] = chosen;
  const auto reopen = [backend = backend, number = number] { return backend->open(number); };
  auto driver = reopen();
  if (!driver) return std::move(driver).error().with("opening `" + wanted + "`");
  RecorderOptions recorder;
  if (options.memory_budget != 0) recorder.flight_bytes = options.memory_budget;
  recorder.pool = options.pool;
  recorder.cache = &BlobCache::of_process();
  recorder.trace = trace;
  VYRE_TRY(auto impl, DeviceImpl::make(*std::move(driver), reopen, recorder));
  return make_device(std::move(impl));
}

Result<Device> open(std::string_view which, const OpenOptions& options) {
  return guarded([&] { return open_device(which, options); });
}

std::string_view to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::discrete: return "discrete";
    case DeviceKind::integrated: return "integrated";
    case DeviceKind::virtual_gpu: return "virtual";
    case DeviceKind::software: return "software (cpu)";
    case DeviceKind::other: return "other";
  }
  VYRE_UNREACHABLE();
}

bool DeviceInfo::has(Capability capability) const {
  return std::find(capabilities.begin(), capabilities.end(), capability) != capabilities.end();
}

}  // namespace vyre
