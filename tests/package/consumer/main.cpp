// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <vyre/vyre.h>

// What a program of somebody else does with the library, however it was linked:
//
//     consumer          the WebGPU library is found, and its device computes if it must be here
//     consumer absent   this build has no WebGPU backend, and says so

constexpr const char* kSource = R"(
  @group(0) @binding(0) var<storage, read> x: array<f32>;
  @group(0) @binding(1) var<storage, read_write> y: array<f32>;
  @compute @workgroup_size(64)
  fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&y)) { y[id.x] = 2.0 * x[id.x] + y[id.x]; }
  }
)";

vyre::Status compute(const char* name) {
  VYRE_TRY(const auto device, vyre::open(name));
  VYRE_TRY(const auto program, vyre::parse_wgsl(kSource));
  const std::vector<float> x = {1, 2, 3};
  const std::vector<float> y = {10, 20, 30};
  VYRE_TRY(const auto out, device.dispatch(program, {{"x", x}, {"y", y}}));
  VYRE_TRY(const auto sums, out.as<float>("y"));
  if (sums.size() == 3 && sums[0] == 12 && sums[1] == 24 && sums[2] == 36) return vyre::Ok{};
  return vyre::Error(vyre::ErrorKind::unavailable, "wrong-sums", "the device computes wrongly");
}

int fail(std::string_view what) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  return 1;
}

int main(int count, char** arguments) {
  const bool absent = count > 1 && arguments[1] == std::string_view("absent");
  if (const auto done = compute("cpu"); !done) return fail(done.error().to_string());
  const char* const names = std::getenv("VYRE_REQUIRE_DEVICES");
  const bool required =
      !absent && names != nullptr && std::string_view(names).find("wgpu") != std::string_view::npos;
  if (const auto done = compute("wgpu"); !done && required) return fail(done.error().to_string());
  for (const vyre::DeviceEntry& entry : vyre::list_devices()) {
    if (entry.info.backend != "wgpu" || entry.available) continue;
    const bool says = entry.why == "this build of vyre has no WebGPU backend";
    if (says != absent || entry.why.find("looked at") != std::string::npos) return fail(entry.why);
  }
  return 0;
}
