// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/builder.h"

#include "ir/assembler.h"
#include "support/check_result.h"
#include "support/devices.h"
#include "validate/validate.h"
#include "wgsl/words.h"

// A program may call its parts anything: what a target's language means by a word is not its
// author's business.
namespace vyre::test {
namespace {

using Words = std::vector<std::uint32_t>;

/// Words that mean something in WGSL, in its implementations, or in our own texts.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  const auto add = [&](const auto& words) {
    names.insert(names.end(), words.begin(), words.end());
  };
  add(wgsl::keywords());
  add(wgsl::reserved_words());
  add(wgsl::predeclared_words());
  add(std::vector<std::string_view>{
      "partition", "partial", "main",    "launch",   "lane",        "global_id", "Struct",
      "v1",        "x1",      "_",       "__x",      "gl_Position", "int",       "float",
      "naga",      "main_1",  "binding", "position", "é",           "a b",       "1st"});
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

class Names : public DeviceTest {};

TEST(WgslWords, AreThoseOfTheSpecification) {
  EXPECT_EQ(wgsl::keywords().size(), 26u);
  EXPECT_EQ(wgsl::reserved_words().size(), 146u);
}

TEST_P(Names, BuffersMayHaveAny) {
  constexpr std::size_t kEach = 7;  // buffers a program: every device has as many
  const std::vector<std::string> names = all_names();
  for (std::size_t first = 0; first < names.size(); first += kEach) {
    const std::size_t count = std::min(kEach, names.size() - first);
    Builder b("names", {.workgroup = 1});
    for (std::size_t i = 0; i < count; ++i) {
      auto buffer = b.output<std::uint32_t>(names[first + i], 1);
      buffer[0u] = static_cast<std::uint32_t>(i + 1);
    }
    const auto program = b.build();
    ASSERT_TRUE(program) << program.error().to_string();
    const auto outputs = device().dispatch(*program, {});
    ASSERT_TRUE(outputs) << names[first] << ": " << outputs.error().to_string();
    for (std::size_t i = 0; i < count; ++i)
      expect_words(outputs, names[first + i], {static_cast<std::uint32_t>(i + 1)});
  }
}

TEST_P(Names, MembersMayHaveAny) {
  const std::vector<std::string> names = all_names();
  Assembler k("members", {1, 1, 1});
  std::vector<Assembler::MemberDecl> members;
  for (const std::string& name : names)
    members.push_back({name, k.scalar(ScalarType::u32)});
  const BufferId out =
      k.buffer({.name = "out", .access = Access::output, .layout = k.structure("array", members)});
  Words expected;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const MemoryRef member = {.buffer = out, .path = {{.kind = Step::Kind::member, .member = i}}};
    k.store(member, k.u32(i + 7));
    expected.push_back(i + 7);
  }
  const auto program = validate(std::move(k).finish());
  ASSERT_TRUE(program) << program.error().to_string();
  expect_words(device().dispatch(*program, {}), "out", expected);
}

TEST_P(Names, EntryPointsMayHaveAny) {
  std::uint32_t different = 0;  // equal programs are compiled once, under the first one's name
  for (const std::string& name : all_names()) {
    Builder b(name, {.workgroup = 1});
    auto out = b.output<std::uint32_t>("out", 1);
    out[0u] = ++different;
    const auto program = b.build();
    ASSERT_TRUE(program) << program.error().to_string();
    EXPECT_OK(device().prepare(*program)) << name;
  }
}

INSTANTIATE_ON_ALL_DEVICES(Names);

}  // namespace
}  // namespace vyre::test
