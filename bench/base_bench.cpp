// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/half.h"
#include "base/hash.h"
#include "base/thread_pool.h"

namespace vyre {
namespace {

void float_to_half(benchmark::State& state) {
  std::vector<float> values(4096);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i) * 0.37F;
  for (auto _ : state) {
    std::uint32_t sum = 0;
    for (const float value : values)
      sum += vyre::float_to_half(value);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(values.size()));
}
BENCHMARK(float_to_half);

void hash_text(benchmark::State& state) {
  const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
  for (auto _ : state)
    benchmark::DoNotOptimize(vyre::hash_text(text));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(hash_text)->Arg(64)->Arg(65536);

void parallel_for_of_nothing(benchmark::State& state) {
  ThreadPool pool;
  for (auto _ : state) {
    pool.parallel_for(64, 1, [](std::size_t begin, std::size_t, std::size_t) {
      benchmark::DoNotOptimize(begin);
    });
  }
}
BENCHMARK(parallel_for_of_nothing)->UseRealTime();

}  // namespace
}  // namespace vyre
