// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/text_writer.h"

#include <utility>

#include "base/check.h"

namespace vyre {
namespace {

template <typename T>
std::string shortest_of(T value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

}  // namespace

std::string shortest(float value) {
  return shortest_of(value);
}
std::string shortest(double value) {
  return shortest_of(value);
}

TextWriter& TextWriter::operator<<(std::string_view text) {
  if (text.empty()) return *this;
  if (std::exchange(at_line_start_, false)) text_.append(level_ * spaces_, ' ');
  text_ += text;
  return *this;
}

TextWriter& TextWriter::end_line() {
  text_ += '\n';
  at_line_start_ = true;
  return *this;
}

void TextWriter::dedent() {
  VYRE_CHECK(level_ > 0);
  --level_;
}

std::string TextWriter::take() {
  at_line_start_ = true;
  return std::exchange(text_, {});
}

}  // namespace vyre
