// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdio>
#include <vector>

#include <vyre/vyre.h>

constexpr const char* kSource = R"(
  @group(0) @binding(0) var<storage, read> x: array<f32>;
  @group(0) @binding(1) var<storage, read_write> y: array<f32>;

  @compute @workgroup_size(64)
  fn saxpy(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&y)) { y[id.x] = 2.0 * x[id.x] + y[id.x]; }
  }
)";

vyre::Status run() {
  VYRE_TRY(const auto device, vyre::open());                // or "cpu", "wgpu", "wgpu:1"
  VYRE_TRY(const auto program, vyre::parse_wgsl(kSource));  // all faults at once
  const std::vector<float> x = {1, 2, 3};
  const std::vector<float> y = {10, 20, 30};
  VYRE_TRY(const auto out, device.dispatch(program, {{"x", x}, {"y", y}}));
  for (const float v : out.as<float>("y"))
    std::printf("%g\n", v);  // 12 24 36
  return vyre::Ok{};
}

int main() {
  const auto status = run();
  if (!status) std::fprintf(stderr, "%s\n", status.error().to_string().c_str());
  return status ? 0 : 1;
}
