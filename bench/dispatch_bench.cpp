// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vector>

#include <benchmark/benchmark.h>

#include "vyre/builder.h"
#include "vyre/sequence.h"

#include "backend/device.h"
#include "backend/null/null.h"

// What the host pays for a dispatch, on a device that runs nothing.
namespace vyre {
namespace {

using Floats = std::vector<float>;

Device null_device() {
  return make_device(*DeviceImpl::make(null::make_driver(), [] { return null::make_driver(); }));
}

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
void dispatch_of_four_buffers(benchmark::State& state) {
  const Device device = null_device();
  const ValidProgram program = four_buffers();
  const Floats x(static_cast<std::size_t>(state.range(0)), 1.0f);
  const float a = 2.0f;
  const Input inputs[] = {{"x", x}, {"y", x}, {"a", a}};
  for (auto _ : state)
    benchmark::DoNotOptimize(device.submit(program, std::span(inputs)).has_value());
}
BENCHMARK(dispatch_of_four_buffers)->Arg(16)->Arg(1024);

/// The same with the wait for the result.
void round_trip_of_four_buffers(benchmark::State& state) {
  const Device device = null_device();
  const ValidProgram program = four_buffers();
  const Floats x(static_cast<std::size_t>(state.range(0)), 1.0f);
  const float a = 2.0f;
  const Input inputs[] = {{"x", x}, {"y", x}, {"a", a}};
  for (auto _ : state)
    benchmark::DoNotOptimize(device.dispatch(program, std::span(inputs)).has_value());
}
BENCHMARK(round_trip_of_four_buffers)->Arg(16)->Arg(1024);

void dispatch_of_resident_buffers(benchmark::State& state) {
  const Device device = null_device();
  const ValidProgram program = four_buffers();
  const Buffer buffers[] = {*device.allocate(4096), *device.allocate(4096), *device.allocate(4096)};
  const float a = 2.0f;
  const Input inputs[] = {{"x", buffers[0]}, {"y", buffers[1]}, {"z", buffers[2]}, {"a", a}};
  for (auto _ : state)
    benchmark::DoNotOptimize(device.submit(program, std::span(inputs)).has_value());
}
BENCHMARK(dispatch_of_resident_buffers);

/// 64 jobs in one submission, each on what the one before wrote.
void batch_of_64(benchmark::State& state) {
  const Device device = null_device();
  const ValidProgram program = four_buffers();
  const Buffer buffers[] = {*device.allocate(4096), *device.allocate(4096), *device.allocate(4096)};
  const float a = 2.0f;
  const BatchJob job = {program,
                        {{"x", buffers[0]}, {"y", buffers[1]}, {"z", buffers[2]}, {"a", a}}};
  const std::vector<BatchJob> jobs(64, job);
  for (auto _ : state)
    benchmark::DoNotOptimize(device.submit_batch(jobs).back().has_value());
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(batch_of_64);

void sequence_of_64(benchmark::State& state) {
  const Device device = null_device();
  const ValidProgram program = four_buffers();
  const Buffer buffers[] = {*device.allocate(4096), *device.allocate(4096), *device.allocate(4096)};
  Sequence sequence(device);
  for (int i = 0; i < 64; ++i)
    benchmark::DoNotOptimize(
        sequence
            .add(program, {{"x", buffers[0]}, {"y", buffers[1]}, {"z", buffers[2]}, {"a", 2.0f}})
            .has_value());
  for (auto _ : state)
    benchmark::DoNotOptimize(sequence.submit().has_value());
  state.SetItemsProcessed(state.iterations() * 64);
}
BENCHMARK(sequence_of_64);

}  // namespace
}  // namespace vyre
