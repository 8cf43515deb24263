// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/render.h"

#include <algorithm>

#include "base/source_text.h"

namespace vyre {
namespace {

constexpr std::size_t kWindow = 160;  ///< cells of a long line that are shown
constexpr std::size_t kNear = 4096;   ///< bytes before and after a place that are looked at

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    case Severity::note: return "note";
  }
  return "error";
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

/// A source line with the range that a caret points at, in cells.
struct Excerpt {
  std::vector<Cell> cells;
  std::size_t first = 0;  ///< may be one past the end
  std::size_t last = 0;   ///< one past the range; more than `first`
  bool cut_front = false;
  bool cut_back = false;
};

/// The cell that holds byte `offset`, or the number of cells.
std::size_t cell_at(const std::vector<Cell>& cells, std::size_t offset) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    end += cells[i].bytes;
    if (offset < end) return i;
  }
  return cells.size();
}

void cut_to_window(Excerpt& excerpt) {
  if (excerpt.cells.size() <= kWindow) return;
  const std::size_t latest = excerpt.cells.size() - kWindow;
  const std::size_t start = std::min(latest, excerpt.first - std::min(excerpt.first, kWindow / 2));
  const auto begin = excerpt.cells.begin() + static_cast<std::ptrdiff_t>(start);
  excerpt.cut_front = start > 0;
  excerpt.cut_back = start < latest;
  excerpt.cells = {begin, begin + static_cast<std::ptrdiff_t>(kWindow)};
  excerpt.first -= start;
  excerpt.last = std::min(excerpt.last - start, std::max(kWindow, excerpt.first + 1));
}

/// Where a character begins, at `at` or before.
std::size_t character_at(std::string_view line, std::size_t at) {
  at = std::min(at, line.size());
  while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xc0U) == 0x80U)
    --at;
  return at;
}

Excerpt excerpt_of(std::string_view whole, const Place& place) {
  // Only what is near is taken apart: many faults may lie in one very long line.
  const std::size_t column = place.column == 0 ? 0 : place.column - 1;
  const std::size_t begin = character_at(whole, column - std::min(column, kNear));
  const std::size_t end = character_at(whole, column + kNear);
  const std::string_view line = whole.substr(begin, end - begin);
  const std::size_t offset = column - begin;
  Excerpt excerpt{.cells = to_cells(line)};
  const std::size_t length = std::max<std::size_t>(place.length, 1);
  excerpt.first = cell_at(excerpt.cells, offset);
  excerpt.last = std::max(excerpt.first, cell_at(excerpt.cells, offset + length - 1)) + 1;
  excerpt.last = std::min(excerpt.last, std::max(excerpt.cells.size(), excerpt.first + 1));
  cut_to_window(excerpt);
  excerpt.cut_front = excerpt.cut_front || begin > 0;
  excerpt.cut_back = excerpt.cut_back || end < whole.size();
  return excerpt;
}

std::string shown_line(const Excerpt& excerpt) {
  std::string text = excerpt.cut_front ? "…" : "";
  for (const Cell& cell : excerpt.cells)
    text += cell.glyph;
  return text + (excerpt.cut_back ? "…" : "");
}

std::string caret_line(const Excerpt& excerpt) {
  std::string text = excerpt.cut_front ? " " : "";
  for (std::size_t i = 0; i < excerpt.first; ++i) {
    const Cell& cell = excerpt.cells[i];
    text += cell.glyph == "\t" ? "\t" : std::string(static_cast<std::size_t>(cell.width), ' ');
  }
  std::size_t width = 0;
  for (std::size_t i = excerpt.first; i < std::min(excerpt.last, excerpt.cells.size()); ++i) {
    width += static_cast<std::size_t>(excerpt.cells[i].width);
  }
  return text + "^" + std::string(std::max<std::size_t>(width, 1) - 1, '~');
}

class Renderer {
 public:
  explicit Renderer(const std::vector<Source>& sources)
      : sources_(sources), lines_(sources.size()) {}

  void diagnostic(const Diagnostic& d) {
    heading(d.place, std::string(word(d.severity)) + "[" + std::string(info(d.code).name) + "]",
            d.message);
    for (const Note& note : d.notes)
      heading(note.place, "note", note.message);
    if (!d.help.empty()) text_ += "  help: " + d.help + "\n";
  }

  void summary(std::size_t errors, std::size_t warnings) {
    if (errors + warnings == 0) return;
    if (errors > 0) text_ += counted(errors, "error");
    if (errors > 0 && warnings > 0) text_ += " and ";
    if (warnings > 0) text_ += counted(warnings, "warning");
    text_ += "\n";
  }

  std::string take() { return std::move(text_); }

 private:
  void heading(const Place& place, const std::string& what, const std::string& message) {
    if (place.known()) {
      text_ += file_name(place.file) + ":" + std::to_string(place.line) + ":" +
               std::to_string(place.column) + ": ";
    }
    text_ += what + ": " + message + "\n";
    if (place.known()) source_line(place);
  }

  [[nodiscard]] std::string file_name(std::uint32_t file) const {
    const bool named = file < sources_.size() && !sources_[file].name.empty();
    return named ? sources_[file].name : "<source>";
  }

  void source_line(const Place& place) {
    if (place.file >= sources_.size()) return;
    std::vector<std::string_view>& lines = lines_[place.file];
    if (lines.empty()) lines = split_lines(sources_[place.file].text);
    if (place.line > lines.size()) return;
    const Excerpt excerpt = excerpt_of(lines[place.line - 1], place);
    text_ += "  " + shown_line(excerpt) + "\n  " + caret_line(excerpt) + "\n";
  }

  const std::vector<Source>& sources_;
  std::vector<std::vector<std::string_view>> lines_;  ///< of each source, split when first needed
  std::string text_;
};

}  // namespace

std::string render(const Diagnostics& diagnostics) {
  Renderer renderer(diagnostics.sources());
  std::size_t errors = 0;
  std::size_t warnings = 0;
  for (const Diagnostic& d : diagnostics) {
    renderer.diagnostic(d);
    errors += d.severity == Severity::error ? 1 : 0;
    warnings += d.severity == Severity::warning ? 1 : 0;
  }
  renderer.summary(errors, warnings);
  return renderer.take();
}

}  // namespace vyre
