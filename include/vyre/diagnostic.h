// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Faults in a user's program, many at once.
///
/// A diagnostic has a code (a row of `diagnostics.def`), a severity, a message, a place when the
/// program came from text, notes and a remedy.  Values; no ownership, no threads involved.
namespace vyre {

enum class Severity : std::uint8_t { error, warning, note };

/// Every diagnostic's stable code.  The enumerator's text form has '-' for '_'.
enum class Code : std::uint16_t {
#define DIAGNOSTIC(name, ...) name,
#include "vyre/diagnostics.def"
};

struct CodeInfo {
  std::string_view name = {};     ///< "type-mismatch"
  std::string_view summary = {};  ///< what it means, one sentence
  std::string_view remedy = {};   ///< what to do, one sentence
};
const CodeInfo& info(Code code);
std::span<const CodeInfo> all_codes();

/// A range of one source file.  `file` counts the joined files from 0; line and column count from
/// 1, columns in bytes; line 0 means "no place" (the program was built in C++).
struct Place {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint32_t length = 0;

  [[nodiscard]] bool known() const { return line != 0; }
  friend bool operator==(const Place&, const Place&) = default;
};

/// A named text; several are joined in order into one program.
struct Source {
  std::string name;
  std::string text;
};

struct Note {
  Place place = {};
  std::string message = {};
};

struct Diagnostic {
  Code code = Code::internal_limit;
  Severity severity = Severity::error;
  Place place = {};
  std::string message = {};
  std::vector<Note> notes = {};
  std::string help = {};
};

/// An ordered list of diagnostics, with the sources they speak of.
class Diagnostics {
 public:
  void add(Diagnostic diagnostic) { list_.push_back(std::move(diagnostic)); }
  /// Shorthand for an error with neither notes nor help; returns it, to be extended.
  Diagnostic& error(Code code, Place place, std::string message);

  [[nodiscard]] bool empty() const { return list_.empty(); }
  [[nodiscard]] bool has_errors() const;
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] auto begin() const { return list_.begin(); }
  [[nodiscard]] auto end() const { return list_.end(); }
  [[nodiscard]] const Diagnostic& operator[](std::size_t i) const { return list_[i]; }
  /// Moves the diagnostics of `other` to the end of this list.
  void append(Diagnostics&& other);
  /// Orders by place (file, line, column), keeping the order of equal places.
  void sort_by_place();

  /// The texts that places refer to; shared, because a program keeps them too.
  void set_sources(std::shared_ptr<const std::vector<Source>> sources);
  [[nodiscard]] const std::vector<Source>& sources() const;

  /// Like a compiler's: "file:line:column: error[code]: message", the line, a caret, notes, help.
  /// "out of memory" where the host cannot hold the text.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<Diagnostic> list_;
  std::shared_ptr<const std::vector<Source>> sources_;
};

}  // namespace vyre
