// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include <benchmark/benchmark.h>

#include "vyre/builder.h"
#include "vyre/device.h"
#include "vyre/sequence.h"

// What the host pays for a dispatch, on a device that runs nothing.
namespace vyre {
namespace {

using Floats = std::vector<float>;

ValidProgram four_buffers() {
  Builder b("four", {.workgroup = 64});
  auto x = b.input<float>("x");
  auto y = b.in_out<float>("y");
  auto a = b.uniform<float>("a");
  auto z = b.output<float>("z");
  z.same_length_as(x);
  auto i = b.global_id();
  b.if_(i < y.length(), [&] {
    y[i] = a * x[i] + y[i];
    z[i] = y[i] * 2.0f;
  });
  return *b.build();
}

/// Host bytes for every input; the argument is their number of elements.
template <typename F>
void with_host_bytes(benchmark::State& state, F&& run) {
  const Device device = *open("null");
  const ValidProgram program = four_buffers();
  const Floats x(static_cast<std::size_t>(state.range(0)), 1.0f);
  const float a = 2.0f;
  const Input inputs[] = {{"x", x}, {"y", x}, {"a", a}};
  for (auto _ : state)
    benchmark::DoNotOptimize(run(device, program, std::span(inputs)));
}

void dispatch_of_four_buffers(benchmark::State& state) {
  with_host_bytes(state, [](const Device& device, const ValidProgram& program, auto inputs) {
    return device.submit(program, inputs).has_value();
  });
}
BENCHMARK(dispatch_of_four_buffers)->Arg(16)->Arg(1024);

/// The same with the wait for the result.
void round_trip_of_four_buffers(benchmark::State& state) {
  with_host_bytes(state, [](const Device& device, const ValidProgram& program, auto inputs) {
    return device.dispatch(program, inputs).has_value();
  });
}
BENCHMARK(round_trip_of_four_buffers)->Arg(16)->Arg(1024);

/// Everything but one word stays on the device.
struct Resident {
  Device device = *open("null");
  ValidProgram program = four_buffers();
  Buffer x = *device.allocate(4096);
  Buffer y = *device.allocate(4096);
  Buffer z = *device.allocate(4096);
  float a = 2.0f;
  std::vector<Input> inputs = {{"x", x}, {"y", y}, {"z", z}, {"a", a}};
};

void dispatch_of_resident_buffers(benchmark::State& state) {
  const Resident r;
  for (auto _ : state)
    benchmark::DoNotOptimize(r.device.submit(r.program, r.inputs).has_value());
}
BENCHMARK(dispatch_of_resident_buffers);

/// 64 jobs in one submission, each on what the one before wrote.
void batch_of_64(benchmark::State& state) {
  const Resident r;
  const std::vector<BatchJob> jobs(64, BatchJob{r.program, r.inputs});
  for (auto _ : state)
    benchmark::DoNotOptimize(r.device.submit_batch(jobs).back().has_value());
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(batch_of_64);

/// The same with a kernel that does little more than the launch.
ValidProgram increment() {
  Builder b("increment", {.workgroup = 64});
  auto c = b.in_out<std::uint32_t>("c");
  const Value i = b.global_id();
  c[i] = c[i] + 1u;
  return *b.build();
}

void batch_of_64_increments(benchmark::State& state) {
  const Device device = *open("null");
  const Buffer buffer = *device.allocate(256);
  const std::vector<BatchJob> jobs(64, BatchJob{increment(), {{"c", buffer}}});
  for (auto _ : state) {
    std::vector<Pending> pending;
    for (auto& submitted : device.submit_batch(jobs))
      pending.push_back(*std::move(submitted));
    benchmark::DoNotOptimize(wait_all(pending).back().has_value());
  }
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(batch_of_64_increments);

void sequence_of_64(benchmark::State& state) {
  const Resident r;
  Sequence sequence(r.device);
  for (int i = 0; i < 64; ++i)
    benchmark::DoNotOptimize(sequence.add(r.program, r.inputs).has_value());
  for (auto _ : state)
    benchmark::DoNotOptimize(sequence.submit().has_value());
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(sequence_of_64);

}  // namespace
}  // namespace vyre
