// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "vyre/vyre.h"

namespace vyre {
namespace {

/// One function of ten lines.
std::string function(const std::string& name) {
  return "fn " + name + R"((start: f32, i: u32) -> f32 {  // what a kernel is made of
  var sum = start * 0.5 + f32(i) / 3.0;
  let at = min(i * 7u + 3u, arrayLength(&data) - 1u);
  if (data[at].x > sum) {
    sum = fma(data[at].y, 0.25, sum);
  } else { sum -= max(data[at].z, tile[i % 64u]); }
  let v = vec3f(sum, f32(at), 1.0) * vec3f(0.5, 0.25, 2.0);
  sum += dot(v, data[at].xyz) + select(sum, v.z, at == 5u);
  return clamp(sum, -1e3, 1e3);
}
)";
}

/// A kernel of about so many lines, each of its functions called once.
std::string kernel(std::int64_t lines) {
  std::string text =
      "@group(0) @binding(0) var<storage, read_write> data: array<vec4<f32>>;\n"
      "var<workgroup> tile: array<f32, 64>;\n";
  std::string body;
  for (std::int64_t k = 0; k < lines / 11; ++k) {
    const std::string name = "part_" + std::to_string(k);
    text += function(name);
    body += "  total += " + name + "(total, id.x + " + std::to_string(k) + "u);\n";
  }
  return text +
         "@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) id: vec3u) {\n" +
         "  var total = 0.0;\n" + body + "  data[id.x].x = total;\n}\n";
}

/// From text to a validated program.
void wgsl_parse(benchmark::State& state) {
  const std::string text = kernel(state.range(0));
  for (auto _ : state) {
    const auto program = parse_wgsl(text);
    if (!program) state.SkipWithError(program.error().to_string().c_str());
    benchmark::DoNotOptimize(program);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(wgsl_parse)->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMillisecond);

/// From a program to the text for a device.
void wgsl_emit(benchmark::State& state) {
  const auto program = parse_wgsl(kernel(state.range(0)));
  if (!program) return state.SkipWithError(program.error().to_string().c_str());
  std::int64_t bytes = 0;
  for (auto _ : state) {
    const auto text = emit(*program, "wgsl");
    if (!text)
      state.SkipWithError(text.error().to_string().c_str());
    else
      bytes += static_cast<std::int64_t>(text->size());
  }
  state.SetBytesProcessed(bytes);
}
BENCHMARK(wgsl_emit)->Arg(100)->Arg(1000)->Arg(4000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace vyre
