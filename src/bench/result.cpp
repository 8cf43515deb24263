// SPDX-License-Identifier: MIT OR Apache-2.0
#include "bench/result.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace vyre::bench {
namespace {

constexpr std::size_t kColumns = 8;
using Cells = std::array<std::string, kColumns>;

/// Three figures.
std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
  return text;
}

std::string cell(const BenchResult& result, const std::vector<double>& rounds) {
  return rounds.empty() ? "–" : number(figure(result, rounds));
}

std::string ratio_cell(const BenchResult& result, const std::vector<double>& other) {
  const auto value = ratio(result, other);
  return value ? number(*value) : "–";
}

Cells cells_of(const BenchResult& result) {
  return {result.name,
          result.work,
          unit_of(result),
          cell(result, result.vyre),
          result.baseline.empty() ? "–" : cell(result, result.baseline) + " " + result.beside,
          ratio_cell(result, result.baseline),
          cell(result, result.floor),
          ratio_cell(result, result.floor)};
}

/// Characters on the screen: bytes that do not continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string line(const Cells& cells,
                 const std::array<std::size_t, kColumns>& widths,
                 std::size_t count) {
  std::string text = "|";
  for (std::size_t i = 0; i < count; ++i)
    text += " " + cells[i] + std::string(widths[i] - width(cells[i]), ' ') + " |";
  return text + "\n";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "–"
                    : number(100.0 * static_cast<double>(part) / static_cast<double>(whole)) + " %";
}

std::string per(std::uint64_t count, std::uint64_t dispatches) {
  return number(static_cast<double>(count) / static_cast<double>(dispatches));
}

std::string text_of(const BenchCounts& counts) {
  return "a round trip in the steady state: " + per(counts.driver_allocations, counts.dispatches) +
         " allocations by the driver, " + per(counts.heap_allocations, counts.dispatches) +
         " from the heap; " +
         percent(counts.pool_hits, counts.pool_hits + counts.driver_allocations) + " pool hits, " +
         percent(counts.binding_hits, counts.binding_hits + counts.binding_misses) +
         " binding hits\n";
}

}  // namespace

double median(std::vector<double> numbers) {
  std::sort(numbers.begin(), numbers.end());
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

double figure(const BenchResult& result, const std::vector<double>& rounds) {
  const double seconds = median(rounds);
  return result.bytes == 0 ? seconds * 1e6 : result.bytes / seconds / 1e9;
}

std::string unit_of(const BenchResult& result) {
  return result.bytes == 0 ? "µs" : "GB/s";
}

std::optional<double> ratio(const BenchResult& result, const std::vector<double>& other) {
  if (other.empty() || result.vyre.empty()) return {};
  return figure(result, result.vyre) / figure(result, other);
}

std::string to_table(const BenchReport& report) {
  std::vector<Cells> rows = {
      {"row", "one run", "unit", "vyre", "baseline", "ratio", "raw Vulkan", "ratio"}};
  for (const BenchResult& result : report.results)
    rows.push_back(cells_of(result));
  const bool has_floor = std::any_of(report.results.begin(), report.results.end(),
                                     [](const BenchResult& r) { return !r.floor.empty(); });
  const std::size_t count = has_floor ? kColumns : kColumns - 2;
  std::array<std::size_t, kColumns> widths = {};
  for (const Cells& cells : rows)
    for (std::size_t i = 0; i < kColumns; ++i)
      widths[i] = std::max(widths[i], width(cells[i]));
  Cells rule;
  for (std::size_t i = 0; i < kColumns; ++i)
    rule[i] = std::string(widths[i], '-');
  rows.insert(rows.begin() + 1, rule);
  std::string text =
      report.device + ", " + report.name + ", " + report.driver + ", " + report.date + "\n\n";
  for (const Cells& cells : rows)
    text += line(cells, widths, count);
  if (report.counts) text += "\n" + text_of(*report.counts);
  return text;
}

}  // namespace vyre::bench
