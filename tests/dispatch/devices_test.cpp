// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/devices.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#include "vyre/emit.h"

#include "support/check_result.h"
#include "support/kernels.h"

// Devices themselves: what is found, names, limits and deadlines.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Devices : public DeviceTest {};

TEST_P(Devices, AreListedWithTheirSelector) {
  const auto entries = list_devices();
  const auto mine = std::find_if(entries.begin(), entries.end(), [&](const DeviceEntry& entry) {
    return entry.available && entry.info.selector() == device().info().selector();
  });
  ASSERT_NE(mine, entries.end());
  EXPECT_FALSE(mine->info.name.empty());
  EXPECT_EQ(mine->info.backend, GetParam());
  EXPECT_EQ(mine->info.kind == DeviceKind::cpu, is_cpu());
}

TEST_P(Devices, CanBeOpenedByNumberAndByPartOfTheirName) {
  const auto by_number = open(device().info().selector());
  ASSERT_OK(by_number);
  EXPECT_EQ(by_number->info().name, device().info().name);
  const auto by_name = open(device().info().name);
  ASSERT_OK(by_name);
  EXPECT_EQ(by_name->info().name, device().info().name);
}

/// With a software driver chosen (as the test command does), the GPU found is labelled so, and can
/// be refused.
TEST_P(Devices, SoftwareGpusAreLabelledAndRefusedOnRequest) {
  const char* driver = std::getenv("VK_ICD_FILENAMES");
  const bool software = driver != nullptr && std::string(driver).find("lvp") != std::string::npos;
  if (is_cpu() || !software) {
    EXPECT_NE(device().info().kind, DeviceKind::software);
    return;
  }
  EXPECT_EQ(device().info().kind, DeviceKind::software);
  EXPECT_EQ(to_string(device().info().kind), "software (cpu)");
  const auto refused = open("wgpu", {.refuse_software = true});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::unavailable) << refused.error().to_string();
}

TEST_P(Devices, AnyNameOfABufferWorks) {
  const std::vector<std::string> names = {"a b",    "fn",    "1x",   "x; } @compute fn evil() {",
                                          "äöü",    "",      "_",    "__",
                                          "var",    "out",   "main", "vec3",
                                          "if\nif", "buf.x", "\"",   "array"};
  for (const std::string& name : names) {
    Builder b(name, {.workgroup = 4});
    auto x = b.buffer(name, Access::in_out, ScalarType::u32);
    auto y = b.structure(name + "2", Space::uniform, Access::input,
                         {{name, ScalarType::u32}, {name + "3", ScalarType::u32}});
    auto shared = b.workgroup(name + "4", ScalarType::u32, 4);
    const Value i = b.global_id();
    shared[b.local_index()] = x[i];
    b.workgroup_barrier();
    x[i] = shared[b.local_index()] + Value(y.member(name)) + Value(y.member(name + "3"));
    const auto program = b.build();
    if (!program) {  // a name may be refused, with a code
      EXPECT_FALSE(program.error().diagnostics().empty()) << name;
      continue;
    }
    const auto outputs = device().dispatch(*program, {Input(Words{1, 2, 3}), Input(Words{10, 100})},
                                           {.grid = {{1, 1, 1}}});
    ASSERT_OK(outputs);
    ASSERT_EQ(outputs->size(), 1u);
    EXPECT_EQ(to_vector(outputs->as<std::uint32_t>(name)), (Words{111, 112, 113})) << name;
  }
}

TEST_P(Devices, MoreBuffersThanTheDeviceHasAreRefusedBeforehand) {
  for (const std::uint32_t count : {9u, 11u, 17u, 40u}) {
    Builder b("many", {.workgroup = 1});
    std::vector<Memory> buffers;
    for (std::uint32_t n = 0; n < count; ++n)
      buffers.push_back(b.output<std::uint32_t>("b" + std::to_string(n), 1));
    for (std::uint32_t n = 0; n < count; ++n)
      buffers[n][0] = n + 1;
    const auto program = b.build();
    ASSERT_OK(program);
    const auto outputs = device().dispatch(*program, {});
    if (count > device().info().limits.storage_buffers) {
      EXPECT_REFUSED(outputs, ErrorKind::unsupported, "too-many-buffers", std::to_string(count));
      continue;
    }
    ASSERT_OK(outputs);
    for (std::uint32_t n = 0; n < count; ++n)
      EXPECT_EQ(outputs->as<std::uint32_t>("b" + std::to_string(n))[0], n + 1);
  }
}

TEST_P(Devices, AreRefusedWithTheNumbersWhereTheyLackWhatIsAskedFor) {
  const std::string name = device().info().selector();
  const Limits& limits = device().info().limits;
  EXPECT_OK(open(name, {.needs = {.workgroup_invocations = limits.workgroup_invocations,
                                  .workgroup_memory = limits.workgroup_memory,
                                  .storage_binding = limits.storage_binding,
                                  .buffer_size = limits.buffer_size,
                                  .storage_buffers = limits.storage_buffers}}));
  const auto refused =
      open(name, {.needs = {.workgroup_invocations = limits.workgroup_invocations + 1}});
  EXPECT_REFUSED(refused, ErrorKind::unsupported, "needs-not-met",
                 std::to_string(limits.workgroup_invocations + 1) + " invocations");
  EXPECT_NE(refused.error().message().find("gives " + std::to_string(limits.workgroup_invocations)),
            std::string::npos)
      << refused.error().message();
  EXPECT_NE(refused.error().help().find("lower"), std::string::npos) << refused.error().help();
  EXPECT_REFUSED(open(name, {.needs = {.buffer_size = limits.buffer_size + 1}}),
                 ErrorKind::unsupported, "needs-not-met", std::to_string(limits.buffer_size));
  for (const Capability capability : {Capability::f16, Capability::int64, Capability::subgroups}) {
    const auto opened = open(name, {.needs = {.capabilities = {capability}}});
    if (device().info().has(capability)) {
      EXPECT_OK(opened);
    } else {
      EXPECT_REFUSED(opened, ErrorKind::unsupported, "needs-not-met", to_string(capability));
    }
  }
}

INSTANTIATE_ON_DEVICES(Devices);

TEST(DevicesAtAll, AnUnknownNameIsRefusedWithWhatThereIs) {
  const auto device = open("no such device");
  ASSERT_FALSE(device);
  EXPECT_EQ(device.error().kind(), ErrorKind::unavailable);
  EXPECT_NE(device.error().to_string().find("cpu"), std::string::npos)
      << device.error().to_string();
}

TEST(DevicesAtAll, ABackendWithoutADeviceSaysWhyAndHow) {
  for (const DeviceEntry& entry : list_devices()) {
    if (entry.available) continue;
    EXPECT_FALSE(entry.why.empty()) << entry.info.backend;
    EXPECT_FALSE(entry.how.empty()) << entry.info.backend;
  }
}

TEST(DevicesAtAll, AutoTakesOneThatHasWhatIsAskedFor) {
  const auto any = open("auto", {.needs = {.workgroup_invocations = 1}});
  ASSERT_OK(any);
  const auto none = open("auto", {.needs = {.workgroup_invocations = ~0u}});
  EXPECT_REFUSED(none, ErrorKind::unsupported, "needs-not-met", "4294967295 invocations");
}

/// An endless kernel on the CPU stops at its deadline.
TEST(DevicesAtAll, AnEndlessKernelStopsOnTheCpu) {
  const auto device = open("cpu");
  ASSERT_OK(device);
  Builder b("endless", {.workgroup = 1});
  auto out = b.output<std::uint32_t>("out", 1);
  b.loop([&] { out[0] = Value(out[0]) + 1u; });
  const auto program = b.build();
  ASSERT_OK(program);
  const auto stopped = device->dispatch(*program, {}, {.timeout = std::chrono::milliseconds(20)});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind(), ErrorKind::timeout) << stopped.error().to_string();
}

}  // namespace
}  // namespace vyre::test
