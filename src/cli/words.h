// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vyre/result.h"

#include "base/near_names.h"

/// The words of a command line: NAME=VALUE pairs, numbers, lists of names, errors about them.
namespace vyre::cli {

/// The error of a wrong argument: the command ends with status 2.
Error wrong(std::string_view code, std::string message, std::string help = {});

/// `text` between backquotes.
std::string ticked(std::string_view text);
/// "`a`, `b` and `c`"; "none" if there is nothing.
std::string listed(std::span<const std::string> names, std::string_view last = "and");

/// "there is no WHAT `name`; there is …", with a guess as help.
Error unknown(std::string_view what, std::string_view name, std::span<const std::string> names);

struct Pair {
  std::string name;
  std::string value;
};
/// Splits at the first '='; `option` ("-i NAME=SOURCE") is named if there is none.
Result<Pair> split_pair(std::string_view text, std::string_view option);

/// The pieces between separators; "a,,b" has an empty one, and "" is one empty piece.
std::vector<std::string_view> split(std::string_view text, char separator);

/// A decimal number and nothing else; nothing if it is none or too large for 64 bits.
std::optional<std::uint64_t> parse_number(std::string_view text);

/// "1 byte", "2 bytes"
std::string counted(std::uint64_t count, std::string_view noun);

/// The ending of a file's name, whatever its case; `ending` is in lower case.
bool has_ending(std::string_view file, std::string_view ending);

/// `text` for a terminal: what would steer it, out of a kernel or the header of a file, is a "?".
std::string printable(std::string text);

}  // namespace vyre::cli
