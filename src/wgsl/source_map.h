// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "vyre/diagnostic.h"
#include "vyre/result.h"

/// Several texts joined into one, and the way back from an offset to a file, line and column.
///
/// Files are joined in order with a line break between them.  Lines end as WGSL says (every
/// Unicode line break); columns count bytes from 1.  Immutable once built.
namespace vyre::wgsl {

/// A range of bytes of the joined text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  friend bool operator==(const Span&, const Span&) = default;
};

/// From the start of `first` to the end of `last`.
inline Span join(Span first, Span last) {
  return {first.begin, last.end};
}

/// An error where the texts together are too long to be read: offsets are 32 bits wide.
Status check_size(const std::vector<Source>& sources);

class SourceMap {
 public:
  /// REQUIRES: the sizes sum to less than 2^31.
  explicit SourceMap(std::shared_ptr<const std::vector<Source>> sources);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::string_view text(Span span) const {
    return text().substr(span.begin, span.end - span.begin);
  }
  [[nodiscard]] Place place(Span span) const;
  [[nodiscard]] const std::shared_ptr<const std::vector<Source>>& sources() const {
    return sources_;
  }

 private:
  struct Line {
    std::uint32_t begin;
    std::uint32_t file;
    std::uint32_t number;
  };
  void add_file(const Source& source, std::uint32_t file);

  std::shared_ptr<const std::vector<Source>> sources_;
  std::string text_;
  std::vector<Line> lines_;
};

}  // namespace vyre::wgsl
