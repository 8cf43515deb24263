// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vyre/diagnostic.h"

#include "wgsl/ast.h"
#include "wgsl/faults.h"
#include "wgsl/lexer.h"
#include "wgsl/parser.h"

/// A text on its way through the front end, for tests.
namespace vyre::wgsl {

struct Text {
  explicit Text(std::string text) : Text(std::vector<Source>{{"test.wgsl", std::move(text)}}) {}
  explicit Text(std::vector<Source> files)
      : map(std::make_shared<const std::vector<Source>>(std::move(files))),
        faults(diagnostics, map) {
    diagnostics.set_sources(map.sources());
  }

  Text& parse() {
    tree = wgsl::parse(map, names, faults);
    return *this;
  }

  /// Each fault as "line:column+length code".
  [[nodiscard]] std::vector<std::string> found() const {
    std::vector<std::string> lines;
    for (const Diagnostic& d : diagnostics) {
      lines.push_back(std::to_string(d.place.line) + ":" + std::to_string(d.place.column) + "+" +
                      std::to_string(d.place.length) + " " + std::string(info(d.code).name));
    }
    return lines;
  }

  SourceMap map;
  Diagnostics diagnostics;
  Faults faults;
  Names names;
  Tree tree;
};

}  // namespace vyre::wgsl
