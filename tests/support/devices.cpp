// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/devices.h"

#include <cstdlib>
#include <map>
#include <sstream>

namespace vyre::test {
namespace {

bool is_required(const std::string& name) {
  const char* list = std::getenv("VYRE_REQUIRE_DEVICES");
  std::istringstream words(list != nullptr ? list : "");
  for (std::string word; std::getline(words, word, ',');)
    if (word == name) return true;
  return false;
}

const Result<Device>& opened(const std::string& name) {
  static std::map<std::string, Result<Device>> devices;
  auto found = devices.find(name);
  if (found == devices.end()) found = devices.emplace(name, open(name)).first;
  return found->second;
}

}  // namespace

std::vector<std::string> device_names() {
  return {"cpu", "wgpu"};
}

void DeviceTest::SetUp() {
  const Result<Device>& result = opened(GetParam());
  if (result) {
    device_ = &*result;
  } else if (GetParam() == "cpu" || is_required(GetParam())) {
    FAIL() << "a required device is absent: " << result.error().to_string();
  } else {
    GTEST_SKIP() << result.error().to_string();
  }
}

std::string device_test_name(const testing::TestParamInfo<std::string>& param) {
  return param.param;
}

}  // namespace vyre::test
