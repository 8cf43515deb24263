// SPDX-License-Identifier: MIT OR Apache-2.0
#include "wgsl/source_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wgsl/unicode.h"

namespace vyre::wgsl {
namespace {

/// Bytes of the line break at `i`, or 0.
std::size_t line_break_length(std::string_view text, std::size_t i) {
  const char c = text[i];
  if (c == '\r') return i + 1 < text.size() && text[i + 1] == '\n' ? 2 : 1;
  if (c >= '\n' && c <= '\f') return 1;
  if (c != '\xc2' && c != '\xe2') return 0;
  const CodePoint point = decode_utf8(text, i);
  return is_line_break(point.value) ? point.length : 0;
}

}  // namespace

Status check_size(const std::vector<Source>& sources) {
  constexpr std::size_t kMaxText = std::size_t{1} << 28U;
  std::size_t size = 0;
  for (const Source& source : sources)
    size += source.text.size();
  if (size <= kMaxText) return Ok{};
  return Error(ErrorKind::invalid_argument, "internal-limit",
               "the text has " + std::to_string(size) + " bytes, more than the limit of " +
                   std::to_string(kMaxText));
}

SourceMap::SourceMap(std::shared_ptr<const std::vector<Source>> sources)
    : sources_(std::move(sources)) {
  std::uint32_t file = 0;
  for (const Source& source : *sources_)
    add_file(source, file++);
}

void SourceMap::add_file(const Source& source, std::uint32_t file) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (!text_.empty()) text_ += '\n';
  const std::size_t begin = text_.size();
  text_ += source.text;
  if (source.text.starts_with(kByteOrderMark)) text_.replace(begin, 3, "   ");
  std::uint32_t number = 1;
  lines_.push_back({static_cast<std::uint32_t>(begin), file, number++});
  for (std::size_t i = begin; i < text_.size();) {
    const std::size_t length = line_break_length(text_, i);
    if (length == 0) {
      ++i;
      continue;
    }
    i += length;
    lines_.push_back({static_cast<std::uint32_t>(i), file, number++});
  }
}

Place SourceMap::place(Span span) const {
  if (lines_.empty()) return {};
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), span.begin,
                                      [](std::uint32_t v, const Line& l) { return v < l.begin; });
  const Line& line = *std::prev(after);
  return {line.file, line.number, span.begin - line.begin + 1, span.end - span.begin};
}

}  // namespace vyre::wgsl
