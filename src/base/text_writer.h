// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

/// Text that is built line by line, with indentation.
///
/// Numbers never depend on the locale; floats are the shortest text that reads back to the same
/// value.  Owns its text; one thread at a time.
namespace vyre {

/// The shortest decimal that reads back to `value`: "0.1", "1e+30", "-0", "inf", "nan".
std::string shortest(float value);
std::string shortest(double value);

class TextWriter {
 public:
  explicit TextWriter(std::size_t spaces_per_level = 2) : spaces_(spaces_per_level) {}

  /// Text without a line break; the first of a line is preceded by the indentation.
  TextWriter& operator<<(std::string_view text);
  TextWriter& operator<<(char c) { return *this << std::string_view(&c, 1); }
  TextWriter& operator<<(float value) { return *this << shortest(value); }
  TextWriter& operator<<(double value) { return *this << shortest(value); }
  /// A bool has no one spelling: write the word that is meant.
  TextWriter& operator<<(std::same_as<bool> auto value) = delete;

  template <std::integral T>
  requires(!std::same_as<T, bool>) TextWriter& operator<<(T value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  /// Ends the line.  An empty line gets no indentation.
  TextWriter& end_line();
  /// A whole line.
  template <typename... Parts>
  TextWriter& line(const Parts&... parts) {
    (*this << ... << parts);
    return end_line();
  }

  void indent() { ++level_; }
  /// REQUIRES: an `indent` before it that is still open.
  void dedent();

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::size_t size() const { return text_.size(); }
  /// The text; the writer is empty afterwards and keeps its indentation.
  [[nodiscard]] std::string take();

 private:
  std::string text_;
  std::size_t spaces_;
  std::size_t level_ = 0;
  bool at_line_start_ = true;
};

/// Indents for a scope.
class Indented {
 public:
  explicit Indented(TextWriter& writer) : writer_(writer) { writer_.indent(); }
  Indented(const Indented&) = delete;
  Indented& operator=(const Indented&) = delete;
  ~Indented() { writer_.dedent(); }

 private:
  TextWriter& writer_;
};

}  // namespace vyre
