// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/bench.h"

#include <chrono>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench_heap.h"
#include "cli/bench_result.h"
#include "cli/bench_rows.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::chrono::milliseconds kShare{40};  ///< for one contender in one round
constexpr std::size_t kMostGoes = 2000;
constexpr std::size_t kLarge = std::size_t{128} << 20;  ///< bytes of a transfer on a GPU
constexpr std::size_t kSmall = std::size_t{16} << 20;   ///< where the CPU does the work

/// Who takes part in a row; without a go a contender has nothing to show.
struct Contender {
  Go go;
  std::vector<double>* rounds;
};

double seconds_of(const Go& go) {
  const auto start = Clock::now();
  const Status done = go();
  const std::chrono::duration<double> passed = Clock::now() - start;
  if (!done) throw Failure(Exit::device_failed, {done.error()});
  return passed.count();
}

/// The median of as many goes as fit into the share.
double measure(const Go& go) {
  std::vector<double> times;
  const auto end = Clock::now() + kShare;
  do
    times.push_back(seconds_of(go));
  while (Clock::now() < end && times.size() < kMostGoes);
  return median(std::move(times));
}

/// The first go warms up: caches fill, kernels are compiled.  Rounds interleave, so that what
/// changes on the machine meets all alike.
void compete(std::vector<Contender>& contenders) {
  for (const Contender& contender : contenders)
    seconds_of(contender.go);
  for (int round = 0; round < kRounds; ++round)
    for (const Contender& contender : contenders)
      contender.rounds->push_back(measure(contender.go));
}

/// Adds a contender, unless it cannot do this.
void invite(std::vector<Contender>& contenders, Result<Go> go, std::vector<double>& rounds) {
  if (go) contenders.push_back({*std::move(go), &rounds});
}

struct Hands {
  std::unique_ptr<Hand> bare;
  std::unique_ptr<Hand> floor;  ///< raw Vulkan
};

/// Nobody, where there is nothing to compare with.
Hands hands_for(const DeviceInfo& device) {
  Hands hands;
  if (device.backend == "cpu") hands.bare = host_hand();
  if (device.backend != "wgpu") return hands;
#ifdef VYRE_HAS_WGPU
  hands.bare = must(webgpu_hand(device));
#endif
#ifdef VYRE_HAS_VULKAN
  if (auto floor = vulkan_hand(device)) hands.floor = *std::move(floor);
#endif
  return hands;
}

std::string beside(const BenchRow& row, const DeviceInfo& device) {
  return device.backend == "cpu" && row.rival == nullptr ? "plain C++" : row.beside;
}

bool is_software(const DeviceInfo& device) {
  return device.kind == DeviceKind::cpu || device.kind == DeviceKind::software;
}

BenchResult run_row(const BenchRow& row, const Device& device, Hands& hands) {
  const std::size_t most = is_software(device.info()) ? kSmall : kLarge;
  const std::size_t bytes = row.bytes != 0 ? row.bytes : most;
  BenchResult result;
  result.name = row.name;
  result.work = row.does;
  result.beside = beside(row, device.info());
  if (row.moves) result.bytes = static_cast<double>(bytes);
  std::vector<Contender> contenders = {{must(row.make(device, bytes)), &result.vyre}};
  if (row.rival != nullptr)
    invite(contenders, row.rival(device, bytes), result.hand);
  else if (hands.bare)
    invite(contenders, hands.bare->make(row.work, bytes), result.hand);
  if (hands.floor && row.rival == nullptr)
    invite(contenders, hands.floor->make(row.work, bytes), result.floor);
  compete(contenders);
  device.trim();
  return result;
}

BenchCounts count(const Device& device) {
  constexpr std::uint64_t kGoes = 200;
  const Go go = must(steady_row().make(device, 0));
  for (int i = 0; i < 20; ++i)
    seconds_of(go);
  const DeviceStats before = device.stats();
  const std::uint64_t heap = heap_allocations();
  for (std::uint64_t i = 0; i < kGoes; ++i)
    seconds_of(go);
  const DeviceStats after = device.stats();
  return {.dispatches = kGoes,
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
  Hands hands = hands_for(device.info());
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
      report.results.push_back(run_row(*row, device, hands));
    }
    if (words.filter.empty()) report.counts = count(device);
  }
  print(words.json ? bench_report(report) : to_table(report));
}

}  // namespace vyre::cli
