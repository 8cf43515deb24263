// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/bench.h"

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/heap.h"
#include "bench/result.h"
#include "bench/rows.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

using namespace bench;  // NOLINT: the command is a thin layer over it

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kShare{40};  ///< for one candidate in one round
constexpr std::size_t kMaxRuns = 2000;
constexpr std::size_t kLarge = std::size_t{128} << 20;  ///< bytes of a transfer on a GPU
constexpr std::size_t kSmall = std::size_t{16} << 20;   ///< where the CPU does the work

/// Who takes part in a row; without a run a candidate has nothing to show.
struct Candidate {
  Run run;
  std::vector<double>* rounds;
};

double seconds_of(const Run& run) {
  const auto start = Clock::now();
  const Status done = run();
  const std::chrono::duration<double> passed = Clock::now() - start;
  if (!done) throw Failure(Exit::device_failed, {done.error()});
  return passed.count();
}

/// The median of as many runs as fit into the share.
double measure(const Run& run) {
  std::vector<double> times;
  const auto end = Clock::now() + kShare;
  do
    times.push_back(seconds_of(run));
  while (Clock::now() < end && times.size() < kMaxRuns);
  return median(std::move(times));
}

/// The first run warms up: caches fill, kernels are compiled.  Rounds interleave, so that what
/// changes on the machine meets all alike.
void measure_all(std::vector<Candidate>& candidates) {
  for (const Candidate& candidate : candidates)
    seconds_of(candidate.run);
  for (int round = 0; round < kRounds; ++round)
    for (const Candidate& candidate : candidates)
      candidate.rounds->push_back(measure(candidate.run));
}

/// Adds a candidate, unless it cannot do this.
void add_candidate(std::vector<Candidate>& candidates,
                   Result<Run> run,
                   std::vector<double>& rounds) {
  if (run) candidates.push_back({*std::move(run), &rounds});
}

std::string beside(const BenchRow& row, const DeviceInfo& device) {
  return device.backend == "cpu" && row.alternative == nullptr ? "plain C++" : row.beside;
}

bool is_software(const DeviceInfo& device) {
  return device.kind == DeviceKind::cpu || device.kind == DeviceKind::software;
}

BenchResult run_row(const BenchRow& row, const Device& device, Baselines& baselines) {
  const std::size_t most = is_software(device.info()) ? kSmall : kLarge;
  const std::size_t bytes = row.bytes != 0 ? row.bytes : most;
  BenchResult result;
  result.name = row.name;
  result.work = row.does;
  result.beside = beside(row, device.info());
  if (row.moves) result.bytes = static_cast<double>(bytes);
  std::vector<Candidate> candidates = {{must(row.make(device, bytes)), &result.vyre}};
  if (row.alternative != nullptr)
    add_candidate(candidates, row.alternative(device, bytes), result.baseline);
  else if (baselines.bare)
    add_candidate(candidates, baselines.bare->make(row.work, bytes), result.baseline);
  if (baselines.floor && row.alternative == nullptr)
    add_candidate(candidates, baselines.floor->make(row.work, bytes), result.floor);
  measure_all(candidates);
  device.trim();
  return result;
}

BenchCounts count(const Device& device) {
  constexpr std::uint64_t kRuns = 200;
  const Run run = must(steady_row().make(device, 0));
  for (int i = 0; i < 20; ++i)
    seconds_of(run);
  const DeviceStats before = device.stats();
  const std::uint64_t heap = heap_allocations();
  for (std::uint64_t i = 0; i < kRuns; ++i)
    seconds_of(run);
  const DeviceStats after = device.stats();
  return {.dispatches = kRuns,
          .driver_allocations = after.allocations - before.allocations,
          .heap_allocations = heap_allocations() - heap,
          .pool_hits = after.pool_hits - before.pool_hits,
          .binding_hits = after.binding_hits - before.binding_hits,
          .binding_misses = after.binding_misses - before.binding_misses};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  ::gmtime_r(&now, &parts);
  char text[16];
  std::strftime(text, sizeof text, "%Y-%m-%d", &parts);
  return text;
}

std::vector<const BenchRow*> chosen_rows(const std::string& filter) {
  std::vector<const BenchRow*> chosen;
  std::vector<std::string> names;
  for (const BenchRow& row : bench_rows()) {
    names.emplace_back(row.name);
    if (names.back().find(filter) != std::string::npos) chosen.push_back(&row);
  }
  if (chosen.empty()) throw Failure(unknown("row", filter, names));
  return chosen;
}

}  // namespace

void bench(const BenchWords& words) {
  const auto rows = chosen_rows(words.filter);
  auto opened = open(words.device);
  if (!opened) throw Failure(Exit::device_failed, {std::move(opened).error()});
  const Device device = *std::move(opened);
  Baselines baselines = must(baselines_for(device.info()));
  BenchReport report = {.device = device.info().selector(),
                        .name = device.info().name,
                        .driver = device.info().driver,
                        .date = today()};
  {
    Progress progress("measuring");
    for (const BenchRow* row : rows) {
      progress.now("measuring " + std::string(row->name) + ", " +
                   std::to_string(report.results.size() + 1) + " of " +
                   std::to_string(rows.size()));
      report.results.push_back(run_row(*row, device, baselines));
    }
    if (words.filter.empty()) report.counts = count(device);
  }
  print(words.json ? bench_report(report) : to_table(report));
}

}  // namespace vyre::cli
