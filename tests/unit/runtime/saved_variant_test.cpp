// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/saved_variant.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace vyre {
namespace {

SavedVariant variant() {
  SavedVariant variant;
  variant.slots = {{.source = SlotSource::host, .binding = 1, .buffer = BufferId{2}, .minimum = 16},
                   {.source = SlotSource::constants, .binding = 0, .covered = true},
                   {.source = SlotSource::trap, .space = Space::storage},
                   {.source = SlotSource::launch, .space = Space::uniform, .minimum = 32}};
  variant.launch = {{LaunchField::grid_x}, {LaunchField::count, BufferId{2}}};
  variant.constants = {{1, 2, 3}};
  variant.kernel = std::vector<std::byte>(5, std::byte{7});
  return variant;
}

TEST(SavedVariants, ComeBackWhole) {
  const auto read = read_variant(to_bytes(variant()), 2);
  ASSERT_TRUE(read);
  const SavedVariant expected = variant();
  ASSERT_EQ(read->slots.size(), expected.slots.size());
  for (std::size_t i = 0; i < expected.slots.size(); ++i) {
    EXPECT_EQ(read->slots[i].source, expected.slots[i].source);
    EXPECT_EQ(read->slots[i].binding, expected.slots[i].binding);
    EXPECT_EQ(read->slots[i].buffer, expected.slots[i].buffer);
    EXPECT_EQ(read->slots[i].space, expected.slots[i].space);
    EXPECT_EQ(read->slots[i].access, expected.slots[i].access);
    EXPECT_EQ(read->slots[i].minimum, expected.slots[i].minimum);
    EXPECT_EQ(read->slots[i].covered, expected.slots[i].covered);
  }
  EXPECT_EQ(read->launch, expected.launch);
  EXPECT_EQ(read->constants, expected.constants);
  EXPECT_EQ(read->kernel, expected.kernel);
}

TEST(SavedVariants, OfAnyOtherLengthAreNone) {
  std::vector<std::byte> bytes = to_bytes(variant());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_variant(std::span(bytes).first(length), 2)) << length;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read_variant(bytes, 2));
}

TEST(SavedVariants, ThatDoNotFitTheProgramAreNone) {
  EXPECT_FALSE(read_variant(to_bytes(variant()), 1));
  SavedVariant wrong = variant();
  wrong.constants.clear();
  EXPECT_FALSE(read_variant(to_bytes(wrong), 2));
}

TEST(VariantKeys, TellApartWhatMakesAnotherKernel) {
  const Hash program = {1, 2};
  DeviceInfo device;
  device.backend = "wgpu";
  device.name = "gpu";
  device.driver = "1";
  std::set<std::string> keys = {variant_key(program, device, wgsl_target())};
  std::size_t count = 1;
  const auto add = [&](const Hash& hash, const DeviceInfo& info, const Target& target) {
    keys.insert(variant_key(hash, info, target));
    EXPECT_EQ(keys.size(), ++count) << *keys.rbegin();
  };
  add({1, 3}, device, wgsl_target());
  for (std::string DeviceInfo::*member : {&DeviceInfo::name, &DeviceInfo::driver}) {
    DeviceInfo other = device;
    other.*member = "2";
    add(program, other, wgsl_target());
  }
  for (bool Target::*member :
       {&Target::native_memory, &Target::native_bounds, &Target::native_operators,
        &Target::native_control, &Target::native_traps, &Target::native_lanes,
        &Target::native_launch, &Target::zeroes_workgroup, &Target::float_exact,
        &Target::strict_float}) {
    Target other = wgsl_target();
    other.*member = !(other.*member);
    add(program, device, other);
  }
  for (const Fold fold : {Fold::x, Fold::y, Fold::z, Fold::any}) {
    Target folded = wgsl_target();
    folded.fold = fold;
    add(program, device, folded);
  }
  for (std::uint64_t Target::*member : {&Target::max_uniform_bytes, &Target::max_local_bytes}) {
    Target other = wgsl_target();
    other.*member = 7;
    add(program, device, other);
  }
}

}  // namespace
}  // namespace vyre
