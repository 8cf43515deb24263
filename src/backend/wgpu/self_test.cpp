// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/self_test.h"

#include <array>
#include <chrono>
#include <cstring>
#include <span>
#include <string>

#include "backend/wgpu/driver.h"
#include "base/blob_cache.h"
#include "base/hash.h"

namespace vyre::wgpu {
namespace {

// Every operand comes from memory, so that no compiler computes a result.
constexpr std::string_view kProbe = R"(
@group(0) @binding(0) var<storage, read> given: array<u32, 10>;
@group(0) @binding(1) var<storage, read_write> found: array<u32, 15>;

@compute @workgroup_size(1)
fn probe(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  if (group.x != 0u) {
    // Bounds in memory: a lane that is none, and reads zeros, stays in the first loop until what the
    // driver allows is used up, and nothing is left for the second.
    while (found[13] < 5u) {
      found[13] += 1u;
    }
    while (found[14] < 5u) {
      found[14] += 1u;
    }
    return;
  }
  if (lane >= 1u + given[4]) {
    return;
  }
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
using Found = std::array<std::uint32_t, 15>;

constexpr std::uint32_t kTiny = 0x00000001;  // the least subnormal
constexpr std::uint32_t kOne = 0x3f800000;   // its upper bits make 1, the step of the loop
constexpr std::uint32_t kHalf = 0x3f000000;  // its upper bits make 129,024, the turns of the loop
constexpr std::uint32_t kTurns = kHalf >> 13;

// a * b = 1 - 2^-46 exactly; rounded by itself it is 1, so that c = -1 and d = 1 cancel it.
constexpr Given kGiven = {0x3f800001, 0x3f7ffffe, 0xbf800000, 0x3f800000, 0x00000000,
                          0x80000000, kTiny,      kOne,       kHalf,      0x00800000};

/// Runs the probe with what the recorder would use, but without it: nothing is open yet.
class Probe {
 public:
  explicit Probe(std::shared_ptr<const Gpu> gpu) : gpu_(gpu), driver_(std::move(gpu)) {}

  Result<Found> run() {
    KernelSource source;
    source.text = kProbe;
    source.entry = "probe";
    source.bindings = {
        {.kind = BindingKind::read_only_storage, .min_bytes = sizeof(Given), .name = "given"},
        {.kind = BindingKind::storage, .min_bytes = sizeof(Found), .name = "found"}};
    VYRE_TRY(const auto kernel, compile(*gpu_, std::move(source), "self-test"));
    VYRE_TRY(const auto upload, driver_.allocate(BlockUse::upload, sizeof(Given)));
    VYRE_TRY(const auto given, driver_.allocate(BlockUse::device, sizeof(Given)));
    VYRE_TRY(const auto found, driver_.allocate(BlockUse::device, sizeof(Found)));
    VYRE_TRY(const auto readback, driver_.allocate(BlockUse::readback, sizeof(Found)));
    const BlockRange ranges[] = {{given.get(), 0, sizeof(Given)}, {found.get(), 0, sizeof(Found)}};
    VYRE_TRY(const auto bindings, driver_.bind(*kernel, ranges));
    std::memcpy(upload->data(), kGiven.data(), sizeof(Given));
    driver_.unmap(*upload);
    const BlockCopy up = {{upload.get(), 0, sizeof(Given)}, given.get(), 0};
    const BlockCopy down = {ranges[1], readback.get(), 0};
    const LaunchCommand launch = {
        .kernel = kernel.get(), .bindings = bindings.get(), .grid = {2, 1, 1}};
    const CommandList list = {.label = "self-test",
                              .uploads = std::span(&up, 1),
                              .launches = std::span(&launch, 1),
                              .downloads = std::span(&down, 1)};
    VYRE_CHECK_OK(driver_.submit(std::span(&list, 1), {}));
    driver_.map(*readback);
    return wait(*readback);
  }

 private:
  Result<Found> wait(const DriverBlock& readback) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (readback.mapping.is(Signal::State::pending) && !driver_.lost()) {
      if (std::chrono::steady_clock::now() >= deadline)
        return Error(
            ErrorKind::timeout, "self-test",
            "the device `" + driver_.info().name + "` did not finish a small kernel in 30 s");
      driver_.poll();
    }
    VYRE_CHECK_OK(gpu_->check_alive());
    if (!readback.mapping.is(Signal::State::done))
      return Error(ErrorKind::unavailable, "self-test",
                   "the device `" + driver_.info().name + "` does not give results back");
    Found found = {};
    std::memcpy(found.data(), readback.data(), sizeof found);
    return found;
  }

  std::shared_ptr<const Gpu> gpu_;
  WgpuDriver driver_;
};

/// What the answers depend on.
std::string key_of(const DeviceInfo& info) {
  std::string key = "self-test " + hash_text(kProbe).to_hex() + "\n" + info.name + "\n" +
                    info.driver + "\nlibrary " + std::to_string(api().GetVersion()) + "\n";
  for (const std::uint32_t word : kGiven)
    key += std::to_string(word) + " ";
  return key;
}

/// The answers of this driver, asked once and then kept.
Result<Found> ask(const std::shared_ptr<Gpu>& gpu) {
  BlobCache& cache = BlobCache::of_process();
  const std::string key = key_of(gpu->info());
  Found found = {};
  if (const auto kept = cache.load(key); kept && kept->size() == sizeof found) {
    std::memcpy(found.data(), kept->data(), sizeof found);
    return found;
  }
  VYRE_TRY(found, Probe(gpu).run());
  cache.store(key, std::as_bytes(std::span(found)));
  return found;
}

}  // namespace

Status self_test(const std::shared_ptr<Gpu>& gpu) {
  VYRE_TRY(const Found found, ask(gpu));
  const bool separate = found[0] == 0 && found[1] == 0 && found[2] == 0 && found[3] == 0;
  const bool signs = found[4] == 0x80000000 && found[5] == 0x80000000 && found[6] == 0 &&
                     found[9] == 0 && found[10] == 0 && found[11] == 0x80000000;
  DeviceInfo& info = gpu->edit_info();
  info.float_exact = separate && signs;
  info.keeps_subnormals = found[7] == kTiny && found[8] == 0x00400000;
  if (found[12] != kTurns) info.limits.loop_turns = found[12];
  gpu->set_runs_idle_lanes(found[13] != 5 || found[14] != 5);
  return Ok{};
}

}  // namespace vyre::wgpu
