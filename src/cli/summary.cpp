// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/summary.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cli/types.h"
#include "cli/words.h"

namespace vyre::cli {
namespace {

constexpr std::size_t kShown = 6;

bool is_nan(const Number& number) {
  const auto* real = std::get_if<double>(&number);
  return real != nullptr && std::isnan(*real);
}

void widen(Summary& summary, ScalarType type, const Number& number) {
  if (is_nan(number)) {
    ++summary.nans;
    return;
  }
  if (!summary.min || number < summary.min->number) summary.min = Value{type, number};
  if (!summary.max || number > summary.max->number) summary.max = Value{type, number};
}

std::string text_of(const Value& value) {
  return to_text(value.type, value.number);
}

std::string first_text(const Summary& summary) {
  std::string text;
  for (const Value& value : summary.first)
    text += (text.empty() ? "" : ", ") + text_of(value);
  return text + (summary.more ? ", …" : "");
}

std::string range_text(const Summary& summary) {
  std::string text;
  if (summary.min) text = "min " + text_of(*summary.min) + "  max " + text_of(*summary.max);
  if (summary.nans != 0) text += (text.empty() ? "" : "  ") + counted(summary.nans, "nan");
  return text;
}

/// Characters, not bytes: an ellipsis is one.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

using Row = std::array<std::string, 5>;

}  // namespace

Summary summarise(const Program& program,
                  const BufferDecl& buffer,
                  std::uint64_t count,
                  std::span<const std::byte> bytes) {
  Summary summary{buffer.name, type_name(program, buffer.layout), count, {}, false, {}, {}, 0};
  const bool one_type = strided(program, buffer.layout, count).has_value();
  auto look = [&](std::uint64_t offset, ScalarType type) {
    const Number number = load_number(type, bytes.data() + offset);
    summary.more = summary.first.size() == kShown;
    if (!summary.more) summary.first.push_back({type, number});
    if (one_type) widen(summary, type, number);
    return one_type || !summary.more;
  };
  each_scalar(program, buffer.layout, 0, count, look);
  return summary;
}

std::string to_table(std::span<const Summary> summaries) {
  std::vector<Row> rows;
  std::array<std::size_t, 5> widths = {};
  for (const Summary& summary : summaries) {
    rows.push_back({summary.name, summary.type, counted(summary.count, "element"),
                    first_text(summary), range_text(summary)});
    for (std::size_t i = 0; i < widths.size(); ++i)
      widths[i] = std::max(widths[i], width_of(rows.back()[i]));
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += (i == 0 ? "" : "  ") + row[i] + std::string(widths[i] - width_of(row[i]), ' ');
    }
    table += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return table;
}

}  // namespace vyre::cli
