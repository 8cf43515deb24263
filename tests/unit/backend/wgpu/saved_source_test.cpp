// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/saved_source.h"

#include <gtest/gtest.h>

namespace vyre::wgpu {
namespace {

KernelSource source() {
  KernelSource source;
  source.text = "fn main() {}";
  source.entry = "main";
  source.launch_words = 3;
  source.bindings = {{BufferId{1}, BindingKind::read_only_storage, 16, "x"},
                     {kNone<BufferId>, BindingKind::uniform, 32, ""}};
  return source;
}

TEST(SavedSources, ComeBackWhole) {
  const auto read = read_source(to_bytes(source()));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->text, source().text);
  EXPECT_EQ(read->entry, source().entry);
  EXPECT_EQ(read->launch_words, 3u);
  ASSERT_EQ(read->bindings.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read->bindings[i].buffer, source().bindings[i].buffer);
    EXPECT_EQ(read->bindings[i].kind, source().bindings[i].kind);
    EXPECT_EQ(read->bindings[i].min_bytes, source().bindings[i].min_bytes);
    EXPECT_EQ(read->bindings[i].name, source().bindings[i].name);
  }
}

TEST(SavedSources, OfAnyOtherLengthAreNone) {
  std::vector<std::byte> bytes = to_bytes(source());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(read_source(std::span(bytes).first(length))) << length;
  bytes.push_back(std::byte{0});
  EXPECT_FALSE(read_source(bytes));
}

TEST(SavedSources, OfNoKindOfBindingAreNone) {
  KernelSource wrong = source();
  wrong.bindings[0].kind = static_cast<BindingKind>(9);
  EXPECT_FALSE(read_source(to_bytes(wrong)));
}

}  // namespace
}  // namespace vyre::wgpu
