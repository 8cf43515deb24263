// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <string>

/// `vyre bench`: how fast this device is through the library, beside the same work in the bare API.
namespace vyre::cli {

struct BenchWords {
  std::string filter;  ///< part of a row's name; empty: all rows
  std::string device = "auto";
  bool json = false;
};

void bench(const BenchWords& words);

}  // namespace vyre::cli
