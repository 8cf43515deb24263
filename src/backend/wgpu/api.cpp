// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/api.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <unistd.h>

#include "backend/wgpu/shield.h"
#include "base/check.h"
#include "base/shared_library.h"

namespace vyre::wgpu {
namespace {

constexpr std::string_view kFileNames[] = {"libwgpu_native-release.so", "libwgpu_native.so"};
constexpr std::string_view kHelp =
    "run `./dev setup`, or take libwgpu_native-release.so out of the Python wheel `wgpu` 0.32.0, "
    "and lay it beside the program or let VYRE_WGPU_LIBRARY name it; what is linked with vyre by "
    "CMake or pkg-config has the folder of its library in its run path";

const Api* g_api = nullptr;  // set once, under the lock of `load_api`

std::string program_folder() {
  std::string path(4096, '\0');
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return {};
  path.resize(static_cast<std::size_t>(length));
  return path.substr(0, path.rfind('/'));
}

void log(WGPULogLevel, WGPUStringView, void*) {}

Result<const Api*> resolve(const SharedLibrary& library) {
  auto table = std::make_unique<Api>();
#define VYRE_WGPU_ROW(name)                                         \
  {                                                                 \
    VYRE_TRY(void* address, library.require("wgpu" #name));         \
    table->name = reinterpret_cast<decltype(table->name)>(address); \
  }
  VYRE_WGPU_FUNCTIONS(VYRE_WGPU_ROW)
#undef VYRE_WGPU_ROW
  // Without a callback of ours the library would write to standard error.
  table->SetLogCallback(log, nullptr);
  table->SetLogLevel(WGPULogLevel_Off);
  g_api = table.release();
  return g_api;
}

/// A file that is there and does not load is worth its reason; others are only named.
std::string looked_at(const std::string& path, const Error& fault) {
  if (path.find('/') == std::string::npos)
    return path + " in the program's run path and the system's folders";
  return ::access(path.c_str(), F_OK) == 0 ? path + " (" + fault.message() + ")" : path;
}

/// Throws where the host has no memory: that is no answer to be kept.
Result<const Api*> load() {
  std::string looked;
  for (const std::string& path :
       library_candidates(std::getenv("VYRE_WGPU_LIBRARY"), program_folder())) {
    auto library = SharedLibrary::open(path);
    if (library) {
      // Never unloaded: threads of a driver may still be in it when the process ends.
      static const auto* const kKept = new SharedLibrary(*std::move(library));
      raise_shield(*kKept);
      return resolve(*kKept);
    }
    if (library.error().kind() == ErrorKind::out_of_memory) throw std::bad_alloc();
    if (!looked.empty()) looked += ", ";
    looked += looked_at(path, library.error());
  }
  Error missing(ErrorKind::unavailable, "wgpu-library-missing",
                "the WebGPU library is not here; looked at " + looked, std::string(kHelp));
  if (missing.kind() == ErrorKind::out_of_memory) throw std::bad_alloc();
  return missing;
}

}  // namespace

std::vector<std::string> library_candidates(const char* variable, std::string_view folder) {
  if (variable != nullptr && *variable != '\0') return {variable};
  std::vector<std::string> candidates;
  for (const std::string_view where : {"", "../lib", VYRE_LIBRARY_FOLDER, "../wgpu"}) {
    if (folder.empty()) break;
    for (const std::string_view file : kFileNames) {
      const std::string path = std::string(folder) + "/" + std::string(where) +
                               (where.empty() ? "" : "/") + std::string(file);
      if (std::find(candidates.begin(), candidates.end(), path) == candidates.end())
        candidates.push_back(path);
    }
  }
  // The system also looks where the program was linked to look: its run path.
  for (const std::string_view file : kFileNames)
    candidates.emplace_back(file);
  return candidates;
}

Result<const Api*> load_api() {
  static const auto* kLoaded = new Result<const Api*>(load());
  return *kLoaded;
}

const Api& api() {
  VYRE_CHECK(g_api != nullptr);
  return *g_api;
}

}  // namespace vyre::wgpu
