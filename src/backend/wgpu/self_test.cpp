// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/self_test.h"

#include <array>
#include <cstring>

#include "backend/wgpu/recorder.h"

namespace vyre::wgpu {
namespace {

// Every operand comes from memory, so that no compiler computes a result.
constexpr std::string_view kProbe = R"(
@group(0) @binding(0) var<storage, read> given: array<u32, 10>;
@group(0) @binding(1) var<storage, read_write> found: array<u32, 13>;

@compute @workgroup_size(1)
fn probe() {
  let a = bitcast<f32>(given[0]);
  let b = bitcast<f32>(given[1]);
  let c = bitcast<f32>(given[2]);
  let d = bitcast<f32>(given[3]);
  let nothing = bitcast<f32>(given[4]);
  let less_than_nothing = bitcast<f32>(given[5]);
  let tiny = bitcast<f32>(given[6]);
  let one = bitcast<f32>(given[7]);
  let half_of_least = bitcast<f32>(given[9]);
  found[0] = bitcast<u32>(a * b + c);
  found[1] = bitcast<u32>(a * b - d);
  found[2] = bitcast<u32>(c + a * b);
  found[3] = bitcast<u32>(d - a * b);
  found[4] = bitcast<u32>(less_than_nothing + less_than_nothing);
  found[5] = bitcast<u32>(less_than_nothing * one);
  found[6] = bitcast<u32>(nothing - nothing);
  found[7] = bitcast<u32>(tiny * one);
  found[8] = bitcast<u32>(half_of_least * bitcast<f32>(given[8]));
  found[9] = bitcast<u32>(less_than_nothing + 0.0);
  found[10] = bitcast<u32>(0.0 - nothing);
  found[11] = bitcast<u32>(c * 0.0);
  var turns = 0u;
  loop {
    if (turns >= given[8] >> 13u) {
      break;
    }
    turns = turns + (given[7] >> 29u);
  }
  found[12] = turns;
}
)";

using Given = std::array<std::uint32_t, 10>;
using Found = std::array<std::uint32_t, 13>;

constexpr std::uint32_t kTiny = 0x00000001;  // the least subnormal
constexpr std::uint32_t kOne = 0x3f800000;   // its upper bits make 1, the step of the loop
constexpr std::uint32_t kHalf = 0x3f000000;  // its upper bits make 129,024, the turns of the loop
constexpr std::uint32_t kTurns = kHalf >> 13;

// a * b = 1 - 2^-46 exactly; rounded by itself it is 1, so that c = -1 and d = 1 cancel it.
constexpr Given kGiven = {0x3f800001, 0x3f7ffffe, 0xbf800000, 0x3f800000, 0x00000000,
                          0x80000000, kTiny,      kOne,       kHalf,      0x00800000};

}  // namespace

Status self_test(const std::shared_ptr<Gpu>& gpu) {
  KernelSource source;
  source.text = kProbe;
  source.entry = "probe";
  source.bindings = {
      {.kind = BindingKind::read_only_storage, .min_bytes = sizeof(Given), .name = "given"},
      {.kind = BindingKind::storage, .min_bytes = sizeof(Found), .name = "found"}};
  VYRE_TRY(const auto pipeline, compile(*gpu, std::move(source), "self-test"));
  const auto timeout = std::chrono::seconds(30);
  Job job = {.pipeline = *pipeline,
             .label = "self-test",
             .deadline = std::chrono::steady_clock::now() + timeout,
             .timeout = timeout};
  job.slots.push_back({.size = sizeof(Given), .supplied = std::as_bytes(std::span(kGiven))});
  job.slots.push_back({.size = sizeof(Found), .comes_back = true, .window = {0, sizeof(Found)}});
  VYRE_TRY(const Finished finished, run_job(gpu, job));

  Found found = {};
  std::memcpy(found.data(), finished.outputs[0].data(), sizeof found);
  const bool separate = found[0] == 0 && found[1] == 0 && found[2] == 0 && found[3] == 0;
  const bool signs = found[4] == 0x80000000 && found[5] == 0x80000000 && found[6] == 0 &&
                     found[9] == 0 && found[10] == 0 && found[11] == 0x80000000;
  DeviceInfo& info = gpu->edit_info();
  info.float_exact = separate && signs;
  info.keeps_subnormals = found[7] == kTiny && found[8] == 0x00400000;
  if (found[12] != kTurns)
    info.warnings.push_back("this driver ends loops in silence after " + std::to_string(found[12]) +
                            " turns of one invocation");
  return Ok{};
}

}  // namespace vyre::wgpu
