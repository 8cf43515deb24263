// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "vyre/diagnostic.h"

#include "wgsl/source_map.h"

/// Where the front end reports faults: turns spans into places and bounds the number reported.
/// Refers to the diagnostics and the source map, which must outlive it.
namespace vyre::wgsl {

class Faults {
 public:
  Faults(Diagnostics& diagnostics, const SourceMap& map) : diagnostics_(diagnostics), map_(map) {}

  /// Adds an error; beyond `kMax` of them it is dropped.  Where no help is given, it is the remedy
  /// of the code's row: every error says what to do.
  void error(Code code, Span span, std::string message, std::string help = {}) {
    add({code, Severity::error, map_.place(span), std::move(message), {}, std::move(help)});
  }
  /// Adds an error with one note.
  void error_with_note(Code code,
                       Span span,
                       std::string message,
                       Span note_span,
                       std::string note,
                       std::string help = {}) {
    add({code,
         Severity::error,
         map_.place(span),
         std::move(message),
         {{map_.place(note_span), std::move(note)}},
         std::move(help)});
  }
  void warning(Code code, Span span, std::string message) {
    add({code, Severity::warning, map_.place(span), std::move(message), {}, {}});
  }

  /// True where a further error would be dropped.
  [[nodiscard]] bool full() const { return errors_ >= kMax; }
  [[nodiscard]] bool any() const { return errors_ != 0; }
  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] const SourceMap& map() const { return map_; }

 private:
  static constexpr std::size_t kMax = 200;

  void add(Diagnostic diagnostic) {
    if (diagnostic.help.empty()) diagnostic.help = info(diagnostic.code).remedy;
    if (diagnostic.severity == Severity::error && ++errors_ > kMax) return;
    diagnostics_.add(std::move(diagnostic));
  }

  Diagnostics& diagnostics_;
  const SourceMap& map_;
  std::size_t errors_ = 0;
};

}  // namespace vyre::wgsl
