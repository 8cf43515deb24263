// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/devices.h"

#include <map>

namespace vyre::test {
namespace {

/// The devices of a test process.  Drivers do not outlive `main` well, so static storage is no
/// place for them.
class OpenDevices : public testing::Environment {
 public:
  const Result<Device>& get(const std::string& name) {
    auto found = devices_.find(name);
    if (found == devices_.end()) found = devices_.emplace(name, open(name)).first;
    return found->second;
  }
  void TearDown() override { devices_.clear(); }

 private:
  std::map<std::string, Result<Device>> devices_;
};

/// GoogleTest owns it.
OpenDevices& open_devices() {
  static auto* const devices =
      static_cast<OpenDevices*>(testing::AddGlobalTestEnvironment(new OpenDevices));
  return *devices;
}

/// Environments are to be registered before the tests start.
[[maybe_unused]] const OpenDevices& registered = open_devices();

}  // namespace

std::vector<std::string> device_names() {
  return {"cpu", "wgpu"};
}

std::vector<std::string> all_device_names() {
  return {"cpu", "wgpu", "null"};
}

void DeviceTest::SetUp() {
  const Result<Device>& result = open_devices().get(GetParam());
  if (!result) SKIP_WITHOUT_DEVICE(GetParam(), result.error());
  device_ = &*result;
}

void DeviceTest::expect_words(const Result<Outputs>& outputs,
                              std::string_view name,
                              const std::vector<std::uint32_t>& expected) const {
  ASSERT_TRUE(outputs) << outputs.error().to_string();
  const auto words = outputs->as<std::uint32_t>(name);
  ASSERT_EQ(words.size(), expected.size());
  if (!computes()) return;
  for (std::size_t i = 0; i < words.size(); ++i)
    ASSERT_EQ(words[i], expected[i]) << "word " << i << " of `" << name << "`";
}

std::string device_test_name(const testing::TestParamInfo<std::string>& param) {
  return param.param;
}

}  // namespace vyre::test
