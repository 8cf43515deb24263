// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "vyre/sequence.h"
#include "vyre/wgsl.h"

#include "runtime/host_copy.h"

namespace vyre::bench {

const char* const kIncrement = R"(
@group(0) @binding(0) var<storage, read_write> c: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&c)) { c[id.x] = c[id.x] + 1u; }
}
)";

const char* const kAdd = R"(
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&c)) { c[id.x] = a[id.x] + b[id.x]; }
}
)";

const char* const kEnds = R"(
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(1)
fn main() {
  y[0] = x[0] + x[arrayLength(&x) - 1u];
}
)";

const char* const kFill = R"(
@group(0) @binding(0) var<storage, read_write> y: array<vec4u>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = vec4u(id.x); }
}
)";

namespace {

using Floats = std::vector<float>;

/// What every run of a row shares.
template <typename T>
std::shared_ptr<T> shared(T value) {
  return std::make_shared<T>(std::move(value));
}

Result<Run> tiny(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(kIncrement));
  VYRE_TRY(auto buffer, device.allocate(kTinyWords * 4));
  return Run([=]() -> Status {
    VYRE_TRY([[maybe_unused]] const auto done, device.dispatch(program, {{"c", buffer}}));
    return Ok{};
  });
}

/// The same with the grid beside it: it is told, or read on the device.
template <bool kIndirect>
Result<Run> tiny_grid(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(R"(
@group(0) @binding(0) var<storage, read_write> c: array<u32>;
@group(0) @binding(1) var<storage, read> grid: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&c)) { c[id.x] = c[id.x] + grid[0]; }
}
)"));
  VYRE_TRY(auto buffer, device.allocate(kTinyWords * 4));
  VYRE_TRY(auto grid, device.allocate(12));
  constexpr std::array<std::uint32_t, 3> kOne = {1, 1, 1};
  VYRE_CHECK_OK(grid.upload(std::as_bytes(std::span(kOne))));
  DispatchOptions options;
  if (kIndirect)
    options.indirect = IndirectGrid{.buffer = "grid"};
  else
    options.grid = kOne;
  return Run([=]() -> Status {
    VYRE_TRY([[maybe_unused]] const auto done,
             device.dispatch(program, {{"c", buffer}, {"grid", grid}}, options));
    return Ok{};
  });
}

/// 4 KiB arrive in the caller's memory, as the baseline does.
Status take(const Outputs& outputs, Floats& to) {
  const auto from = outputs.bytes("c");
  std::memcpy(to.data(), from.data(), std::min(from.size(), to.size() * 4));
  return Ok{};
}

DispatchOptions counted(const char* name, std::size_t count) {
  DispatchOptions options;
  options.counts = {{name, count}};
  return options;
}

Result<Run> round_trip(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(kAdd));
  const auto data = shared(std::array<Floats, 3>{
      Floats(kRoundTripWords, 1.0F), Floats(kRoundTripWords, 2.0F), Floats(kRoundTripWords)});
  const auto options = shared(counted("c", kRoundTripWords));
  return Run([=]() -> Status {
    auto& [a, b, c] = *data;
    VYRE_TRY(const auto out, device.dispatch(program, {{"a", a}, {"b", b}}, *options));
    return take(out, c);
  });
}

Result<Run> round_trip_staged(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(kAdd));
  const auto data = shared(Floats(kRoundTripWords, 1.0F));
  const auto options = shared(counted("c", kRoundTripWords));
  return Run([=]() -> Status {
    VYRE_TRY(const auto a, device.stage<float>(kRoundTripWords));
    VYRE_TRY(const auto b, device.stage<float>(kRoundTripWords));
    std::memcpy(a.data(), data->data(), kRoundTripWords * 4);
    std::memcpy(b.data(), data->data(), kRoundTripWords * 4);
    VYRE_TRY(const auto out, device.dispatch(program, {{"a", a}, {"b", b}}, *options));
    return take(out, *data);
  });
}

/// Jobs and what they refer to.
struct Batch {
  ValidProgram program;
  Buffer buffer;
  std::vector<BatchJob> jobs = {};
};

Status run_batch(const Device& device, const Batch& batch) {
  std::vector<Pending> pending;
  for (auto& submitted : device.submit_batch(batch.jobs)) {
    VYRE_TRY(auto one, std::move(submitted));
    pending.push_back(std::move(one));
  }
  for (auto& result : wait_all(pending))
    if (!result) return std::move(result).error();
  return Ok{};
}

Result<Run> chain_batch(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(kIncrement));
  VYRE_TRY(auto buffer, device.allocate(kTinyWords * 4));
  const auto batch = shared(Batch{std::move(program), std::move(buffer)});
  for (std::size_t i = 0; i < kChain; ++i)
    batch->jobs.push_back({.program = batch->program, .inputs = {Input("c", batch->buffer)}});
  return Run([=] { return run_batch(device, *batch); });
}

Result<Run> chain_sequence(const Device& device, std::size_t) {
  VYRE_TRY(const auto program, parse_wgsl(kIncrement));
  VYRE_TRY(const auto buffer, device.allocate(kTinyWords * 4));
  Sequence sequence(device);
  for (std::size_t i = 0; i < kChain; ++i)
    VYRE_CHECK_OK(sequence.add(program, {{"c", buffer}}));
  return Run([=]() -> Status {
    VYRE_TRY([[maybe_unused]] const auto done, sequence.run());
    return Ok{};
  });
}

Result<Run> chain_repeat(const Device& device, std::size_t) {
  VYRE_TRY(auto program, parse_wgsl(kIncrement));
  VYRE_TRY(auto buffer, device.allocate(kTinyWords * 4));
  DispatchOptions options;
  options.repeat = kChain;
  return Run([=]() -> Status {
    VYRE_TRY([[maybe_unused]] const auto done, device.dispatch(program, {{"c", buffer}}, options));
    return Ok{};
  });
}

/// Of `kEnds`.
DispatchOptions one_sum() {
  DispatchOptions options = counted("y", 1);
  options.grid = {1, 1, 1};
  return options;
}

Result<Run> up_stage(const Device& device, std::size_t bytes) {
  VYRE_TRY(auto program, parse_wgsl(kEnds));
  const auto x = shared(Floats(bytes / 4, 1.0F));
  const auto options = shared(one_sum());
  return Run([=]() -> Status {
    VYRE_TRY(const auto staged, device.stage<float>(x->size()));
    host_copy(staged.bytes(), std::as_bytes(std::span(*x)));
    VYRE_TRY([[maybe_unused]] const auto out, device.dispatch(program, {{"x", staged}}, *options));
    return Ok{};
  });
}

Result<Run> up_buffer(const Device& device, std::size_t bytes) {
  VYRE_TRY(auto program, parse_wgsl(kEnds));
  VYRE_TRY(auto buffer, device.allocate(bytes));
  const auto x = shared(Floats(bytes / 4, 1.0F));
  const auto options = shared(one_sum());
  return Run([=]() -> Status {
    VYRE_CHECK_OK(buffer.upload(std::as_bytes(std::span(*x))));
    VYRE_TRY([[maybe_unused]] const auto out, device.dispatch(program, {{"x", buffer}}, *options));
    return Ok{};
  });
}

Result<Run> down_span(const Device& device, std::size_t bytes) {
  VYRE_TRY(auto program, parse_wgsl(kFill));
  const auto y = shared(std::vector<std::byte>(bytes));
  const DispatchOptions options = counted("y", bytes / 16);
  return Run([=]() -> Status {
    VYRE_TRY(const auto out, device.dispatch(program, {}, options));
    return out.copy_to("y", *y);
  });
}

Result<Run> open_only(const Device& device, std::size_t) {
  const std::string selector = device.info().selector();
  return Run([=]() -> Status {
    VYRE_TRY([[maybe_unused]] const auto opened, vyre::open(selector));
    return Ok{};
  });
}

Result<Run> open_first(const Device& device, std::size_t bytes) {
  const std::string selector = device.info().selector();
  return Run([=]() -> Status {
    VYRE_TRY(const auto opened, vyre::open(selector));
    VYRE_TRY(const auto run, round_trip(opened, bytes));
    return run();
  });
}

// ------------------------------------------------------- what is chosen, beside what is forced

constexpr std::size_t kSmallBytes = 4096;
constexpr std::size_t kMiddleBytes = std::size_t{1} << 20;

/// Updates all over the output: across a link that is slow.
const char* const kUpdate = R"(
@group(0) @binding(0) var<storage, read_write> y: array<atomic<u32>>;
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  for (var i = 0u; i < 4u; i = i + 1u) {
    atomicAdd(&y[((id.x * 4u + i) * 2654435761u) % arrayLength(&y)], 1u);
  }
}
)";

/// Goes that give these inputs and count these elements of the one output.
Result<Run> placed(const Device& device,
                   const char* kernel,
                   const std::vector<const char*>& inputs,
                   std::size_t bytes,
                   const DispatchOptions& options) {
  VYRE_TRY(auto program, parse_wgsl(kernel));
  const auto data = shared(Floats(bytes / 4, 1.0F));
  return Run([=]() -> Status {
    std::vector<Input> given;
    given.reserve(inputs.size());
    for (const char* name : inputs)
      given.emplace_back(name, *data);
    VYRE_TRY([[maybe_unused]] const auto out, device.dispatch(program, given, options));
    return Ok{};
  });
}

template <Placement kWhere>
Result<Run> placed_sums(const Device& device, std::size_t bytes) {
  DispatchOptions options = counted("c", bytes / 4);
  options.placement = kWhere;
  return placed(device, kAdd, {"a", "b"}, bytes, options);
}

template <Placement kWhere>
Result<Run> placed_up(const Device& device, std::size_t bytes) {
  DispatchOptions options = one_sum();
  options.placement = kWhere;
  return placed(device, kEnds, {"x"}, bytes, options);
}

template <Placement kWhere>
Result<Run> placed_down(const Device& device, std::size_t bytes) {
  DispatchOptions options = counted("y", bytes / 16);
  options.placement = kWhere;
  return placed(device, kFill, {}, bytes, options);
}

template <Placement kWhere>
Result<Run> placed_update(const Device& device, std::size_t bytes) {
  DispatchOptions options = counted("y", bytes / 4);
  options.placement = kWhere;
  return placed(device, kUpdate, {}, bytes, options);
}

constexpr auto kChosen = Placement::automatic;
constexpr auto kStaged = Placement::staged;
constexpr auto kMapped = Placement::mapped;

constexpr BenchRow kRows[] = {
    {"tiny", "64 words that stay, launch and wait", Work::tiny, "bare", false, tiny},
    {"round-trip", "2 × 4 KiB up, add, 4 KiB down", Work::round_trip, "bare, no copies", false,
     round_trip},
    {"round-trip-staged", "the same, staged inputs", Work::round_trip, "bare, no copies", false,
     round_trip_staged},
    {"chain-batch", "64 dependent dispatches, a batch", Work::chain, "bare, one pass", false,
     chain_batch},
    {"chain-sequence", "64 dependent dispatches, a sequence", Work::chain, "bare, one pass", false,
     chain_sequence},
    {"chain-repeat", "64 dependent dispatches, repeat", Work::chain, "bare, one pass", false,
     chain_repeat},
    {"indirect", "tiny, its grid in a buffer", Work::tiny, "direct", false, tiny_grid<true>,
     tiny_grid<false>},
    {"up-span", "a host span as input", Work::up, "queue write", true, placed_up<kChosen>},
    {"up-stage", "stage, filled from a host span", Work::up, "queue write", true, up_stage},
    {"up-buffer", "a host span to a resident buffer", Work::up, "queue write", true, up_buffer},
    {"down-view", "a view of an output", Work::down, "copy and map", true, placed_down<kChosen>},
    {"down-span", "an output to a host span", Work::down_copy, "map and memcpy", true, down_span},
    {"placement-4k-staged", "2 × 4 KiB up, add, 4 KiB down", Work::round_trip, "staged", false,
     placed_sums<kChosen>, placed_sums<kStaged>, kSmallBytes},
    {"placement-4k-mapped", "the same", Work::round_trip, "mapped", false, placed_sums<kChosen>,
     placed_sums<kMapped>, kSmallBytes},
    {"placement-1m-staged", "2 × 1 MiB up, add, 1 MiB down", Work::round_trip, "staged", false,
     placed_sums<kChosen>, placed_sums<kStaged>, kMiddleBytes},
    {"placement-1m-mapped", "the same", Work::round_trip, "mapped", false, placed_sums<kChosen>,
     placed_sums<kMapped>, kMiddleBytes},
    {"placement-up-staged", "a host span as input", Work::up, "staged", true, placed_up<kChosen>,
     placed_up<kStaged>},
    {"placement-up-mapped", "the same", Work::up, "mapped", true, placed_up<kChosen>,
     placed_up<kMapped>},
    {"placement-down-staged", "a view of an output", Work::down, "staged", true,
     placed_down<kChosen>, placed_down<kStaged>},
    {"placement-down-mapped", "the same", Work::down, "mapped", true, placed_down<kChosen>,
     placed_down<kMapped>},
    {"placement-update-staged", "a histogram of 1 MiB, down", Work::down, "staged", false,
     placed_update<kChosen>, placed_update<kStaged>, kMiddleBytes},
    {"placement-update-mapped", "the same", Work::down, "mapped", false, placed_update<kChosen>,
     placed_update<kMapped>, kMiddleBytes},
    {"open", "open and close", Work::open, "the device alone", false, open_only},
    {"open-first", "open, first round trip, close", Work::open_first, "the same, bare", false,
     open_first},
};

}  // namespace

std::span<const BenchRow> bench_rows() {
  return kRows;
}

const BenchRow& steady_row() {
  return kRows[1];
}

}  // namespace vyre::bench
