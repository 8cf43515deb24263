// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/required.h"

#include <cstdlib>
#include <sstream>
#include <string>

namespace vyre::test {

bool is_required(std::string_view backend) {
  if (backend == "cpu" || backend == "null") return true;  // they need nothing
  const char* list = std::getenv("VYRE_REQUIRE_DEVICES");
  std::istringstream words(list != nullptr ? list : "");
  for (std::string word; std::getline(words, word, ',');)
    if (word == backend) return true;
  return false;
}

}  // namespace vyre::test
