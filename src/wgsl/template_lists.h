// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "wgsl/token.h"

/// Template list discovery (section 3.9 of the WGSL specification), as the tokens are made.
///
/// The lexer tells of each token that matters; when a `>` closes a candidate, the `<` that
/// opened it becomes `template_start`.  Each token is visited once.
namespace vyre::wgsl {

class TemplateLists {
 public:
  explicit TemplateLists(std::vector<Token>& tokens) : tokens_(tokens) {}

  /// The token just pushed is a `<` that follows a name.
  void candidate() { pending_.push_back({tokens_.size() - 1, depth_}); }
  /// True when a `>` here ends a template list.
  bool closes() {
    if (pending_.empty() || pending_.back().depth != depth_) return false;
    tokens_[pending_.back().token].kind = TokenKind::template_start;
    pending_.pop_back();
    return true;
  }
  /// `(` or `[`.
  void open() { ++depth_; }
  /// `)` or `]`.
  void close() {
    drop_deeper();
    if (depth_ > 0) --depth_;
  }
  /// `&&` or `||`.
  void logical() { drop_deeper(); }
  /// `;`, `{`, `:` or an assignment.
  void reset() {
    pending_.clear();
    depth_ = 0;
  }

 private:
  struct Candidate {
    std::size_t token;
    std::uint32_t depth;
  };
  void drop_deeper() {
    while (!pending_.empty() && pending_.back().depth >= depth_)
      pending_.pop_back();
  }

  std::vector<Token>& tokens_;
  std::vector<Candidate> pending_;
  std::uint32_t depth_ = 0;
};

}  // namespace vyre::wgsl
