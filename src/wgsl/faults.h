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

  /// Adds an error; beyond `kMax` of them it is dropped.
  void error(Code code, Span span, std::string message, std::string help = {}) {
    add({code, Severity::error, map_.place(span), std::move(message), {}, std::move(help)});
  }
  /// Adds an error with one note.
  void error_with_note(
      Code code, Span span, std::string message, Span note_span, std::string note) {
    add({code,
         Severity::error,
         map_.place(span),
         std::move(message),
         {{map_.place(note_span), std::move(note)}},
         {}});
  }
  void warning(Code code, Span span, std::string message) {
    add({code, Severity::warning, map_.place(span), std::move(message), {}, {}});
  }

  [[nodiscard]] bool any() const { return errors_ != 0; }
  [[nodiscard]] std::size_t errors() const { return errors_; }
  [[nodiscard]] const SourceMap& map() const { return map_; }

 private:
  static constexpr std::size_t kMax = 200;

  void add(Diagnostic diagnostic) {
    if (diagnostic.severity == Severity::error && ++errors_ > kMax) return;
    diagnostics_.add(std::move(diagnostic));
  }

  Diagnostics& diagnostics_;
  const SourceMap& map_;
  std::size_t errors_ = 0;
};

}  // namespace vyre::wgsl
