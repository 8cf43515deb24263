// SPDX-License-Identifier: MIT OR Apache-2.0
#include <functional>

#include <gtest/gtest.h>

#include "support.h"
#include "validate/validate.h"

namespace vyre {
namespace {

// ---------------------------------------------------------------------------------- workgroup

TEST(WorkgroupTest, HasAtLeastOneAndAtMostTwoToThe32Invocations) {
  const auto sized = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return Assembler("k", {x, y, z}).finish();
  };
  EXPECT_TRUE(is_valid(sized(2048, 1, 1)));
  EXPECT_TRUE(is_valid(sized(65536, 65536, 1)));
  EXPECT_TRUE(has_only(sized(64, 0, 1), "bad-workgroup-size",
                       "the workgroup (64, 0, 1) has no invocations"));
  EXPECT_TRUE(has_only(sized(65536, 65536, 2), "bad-workgroup-size", "more than 4294967296"));
  EXPECT_TRUE(
      has_only(sized(0xffffffff, 0xffffffff, 0xffffffff), "bad-workgroup-size", "more than"));
}

// ------------------------------------------------------------------------------------ layouts

Program with_layout(const Layout& layout) {
  return made([&](Kernel& k) { k.layout(layout); });
}

TEST(LayoutTest, ScalarsHaveTheirSize) {
  EXPECT_TRUE(
      has_only(with_layout({.align = 4, .size = 8}), "bad-layout", "has the size 8, but needs 4"));
  EXPECT_TRUE(has_only(with_layout({.align = 8, .size = 4}), "bad-layout",
                       "has the alignment 8, but needs 4"));
  EXPECT_TRUE(has_only(with_layout({.align = 0, .size = 4}), "bad-layout",
                       "alignment 0, which is no power of two"));
  EXPECT_TRUE(has_only(with_layout({.align = 3, .size = 4}), "bad-layout",
                       "alignment 3, which is no power of two"));
}

TEST(LayoutTest, VectorsHaveTwoToFourComponents) {
  const auto vector = [](std::uint8_t width, std::uint32_t align, std::uint64_t size,
                         ScalarType t = ScalarType::f32) {
    return with_layout(
        {.kind = LayoutKind::vector, .scalar = t, .width = width, .align = align, .size = size});
  };
  EXPECT_TRUE(is_valid(vector(3, 16, 12)));
  EXPECT_TRUE(has_only(vector(3, 4, 12), "bad-layout", "has the alignment 4, but needs 16"));
  EXPECT_TRUE(has_only(vector(3, 16, 16), "bad-layout", "has the size 16, but needs 12"));
  EXPECT_TRUE(has_only(vector(5, 16, 20), "bad-layout", "a vector of 5 components"));
  EXPECT_TRUE(has_only(vector(2, 2, 2, ScalarType::u8), "bad-layout", "a vector of u8"));
}

/// An array of 4 u32 with one thing changed.
Program array(const std::function<void(Layout&)>& edit) {
  return made([&](Kernel& k) {
    Layout layout = k[k.array(k.scalar(ScalarType::u32), 4)];
    edit(layout);
    k.layout(layout);
  });
}

TEST(LayoutTest, ArraysHoldTheirElements) {
  EXPECT_TRUE(is_valid(array([](Layout& a) {
    a.stride = 16;
    a.size = 64;
  })));
  EXPECT_TRUE(has_only(array([](Layout& a) {
                         a.stride = 0;
                         a.size = 0;
                       }),
                       "bad-layout", "has the stride 0"));
  EXPECT_TRUE(has_only(array([](Layout& a) {
                         a.stride = 6;
                         a.size = 24;
                       }),
                       "bad-layout", "has the stride 6 for elements of 4 bytes aligned to 4"));
  EXPECT_TRUE(has_only(array([](Layout& a) { a.size = 12; }), "bad-layout",
                       "has the size 12, but needs 16"));
  EXPECT_TRUE(
      has_only(array([](Layout& a) { a.align = 2; }), "bad-layout", "less than its elements' 4"));
  EXPECT_TRUE(
      has_only(array([](Layout& a) { a.matrix = true; }), "bad-layout", "is a matrix, but not of"));
}

TEST(LayoutTest, SizesAreCountedIn64Bits) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    k.buffer(
        {.name = "big", .binding = 9, .layout = k.array(k.scalar(ScalarType::u32), 0xffffffff)});
  })));
}

TEST(LayoutTest, OnlyTheOuterArrayIsRuntimeSized) {
  EXPECT_TRUE(has_only(
      made([](Kernel& k) {
        const LayoutId inner = k.array(k.scalar(ScalarType::u32), 0);
        k.layout({.kind = LayoutKind::array, .size = 0, .element = inner, .count = 0, .stride = 4});
      }),
      "bad-layout", "is an array of something runtime-sized"));
}

/// A struct of a u32 `a` and a vec2<f32> `b`, with something changed.
Program structure(const std::function<void(Kernel&, Layout&)>& edit) {
  return made([&](Kernel& k) {
    const Assembler::MemberDecl members[] = {{"a", k.scalar(ScalarType::u32)},
                                             {"b", k.vector(ScalarType::f32, 2)}};
    Layout layout = k[k.structure("S", members)];
    edit(k, layout);
    k.layout(layout);
  });
}

TEST(LayoutTest, StructsHoldTheirMembers) {
  EXPECT_TRUE(is_valid(structure([](Kernel&, Layout& s) { s.size = 32; })));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.members.clear(); }), "bad-layout",
                       "struct `S` has no members"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) {
                         s.members[1].offset = 12;
                         s.size = 24;
                       }),
                       "bad-layout", "member `b` lies at offset 12, but is aligned to 8"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.members[1].offset = 0; }), "bad-layout",
                       "member `b` lies at offset 0, before the end of the former one at 4"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.size = 8; }), "bad-layout",
                       "has the size 8 for members that end at 16"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.size = 20; }), "bad-layout",
                       "has the size 20"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.align = 4; }), "bad-layout",
                       "member `b` lies at offset 8, but is aligned to 8"));
  EXPECT_TRUE(has_only(structure([](Kernel&, Layout& s) { s.members[1].name = "a"; }),
                       "duplicate-name", "struct `S` has more than one member `a`"));
}

TEST(LayoutTest, OnlyTheLastMemberIsRuntimeSized) {
  const auto with_tail = [](bool last) {
    return made([&](Kernel& k) {
      const LayoutId tail = k.array(k.scalar(ScalarType::u32), 0);
      const LayoutId word = k.scalar(ScalarType::u32);
      const Assembler::MemberDecl members[] = {{"a", last ? word : tail},
                                               {"b", last ? tail : word}};
      k.structure("T", members);
    });
  };
  EXPECT_TRUE(is_valid(with_tail(true)));
  EXPECT_TRUE(has_only(with_tail(false), "bad-layout",
                       "member `a` is runtime-sized, but not an array and the last"));
}

TEST(LayoutTest, AStructOfOnlyARuntimeSizedArrayHasNoFixedPart) {
  EXPECT_TRUE(is_valid(made([](Kernel& k) {
    const Assembler::MemberDecl members[] = {{"all", k.array(k.scalar(ScalarType::u32), 0)}};
    k.buffer({.name = "b", .binding = 9, .layout = k.structure("T", members)});
  })));
}

TEST(LayoutTest, NarrowTypesAreElementsOfAStorageBuffersArray) {
  const auto bytes = [](Space space, std::function<LayoutId(Kernel&, LayoutId)> wrap) {
    return made([&](Kernel& k) {
      k.buffer({.name = "bytes",
                .binding = 9,
                .space = space,
                .layout = wrap(k, k.scalar(ScalarType::u8))});
    });
  };
  const auto many = [](Kernel& k, LayoutId u8) { return k.array(u8, 16); };
  EXPECT_TRUE(is_valid(bytes(Space::storage, many)));
  EXPECT_TRUE(has_only(bytes(Space::workgroup, many), "bad-buffer",
                       "buffer `bytes` holds a narrow type, but is no array in storage memory"));
  EXPECT_TRUE(has_only(bytes(Space::storage, [](Kernel&, LayoutId u8) { return u8; }), "bad-buffer",
                       "holds a narrow type"));
  EXPECT_TRUE(has_only(
      bytes(Space::storage, [](Kernel& k, LayoutId u8) { return k.array(k.array(u8, 4), 4); }),
      "bad-layout", "is an array of arrays of a narrow type"));
}

TEST(LayoutTest, NarrowTypesAreNoMembers) {
  EXPECT_TRUE(
      has_only(made([](Kernel& k) {
                 const Assembler::MemberDecl members[] = {{"a", k.scalar(ScalarType::half)}};
                 k.structure("T", members);
               }),
               "bad-layout", "member `a` is of a narrow type"));
}

// ------------------------------------------------------------------------------------ buffers

Program with_buffer(const std::function<BufferDecl(Kernel&)>& buffer) {
  return made([&](Kernel& k) {
    BufferDecl b = buffer(k);
    b.binding = 9;
    k.buffer(b);
  });
}
TEST(BufferTest, OnlyStorageIsRuntimeSized) {
  EXPECT_TRUE(is_valid(
      with_buffer([](Kernel& k) { return BufferDecl{.name = "b", .layout = words(k, 0)}; })));
  for (const Space space : {Space::uniform, Space::workgroup, Space::local, Space::constant})
    EXPECT_TRUE(has_only(with_buffer([&](Kernel& k) {
                           return BufferDecl{.name = "b", .space = space, .layout = words(k, 0)};
                         }),
                         "bad-buffer", "memory, but has no static size"))
        << to_string(space);
}

TEST(BufferTest, UniformBuffersAreInputs) {
  EXPECT_TRUE(is_valid(with_buffer([](Kernel& k) {
    return BufferDecl{.name = "b", .space = Space::uniform, .layout = words(k, 4)};
  })));
  EXPECT_TRUE(has_only(
      with_buffer([](Kernel& k) {
        return BufferDecl{
            .name = "b", .space = Space::uniform, .access = Access::in_out, .layout = words(k, 4)};
      }),
      "bad-buffer", "is uniform memory, but has the access in_out"));
}

TEST(BufferTest, LocalArraysAreSmall) {
  const auto local = [](std::uint32_t count) {
    return with_buffer([&](Kernel& k) {
      return BufferDecl{.name = "b", .space = Space::local, .layout = words(k, count)};
    });
  };
  EXPECT_TRUE(is_valid(local(16384)));
  EXPECT_TRUE(has_only(local(16385), "local-too-large", "has 65540 bytes; the limit is 65536"));
}

TEST(BufferTest, ConstantsHaveTheirWords) {
  const auto constant = [](Space space, std::vector<std::uint32_t> contents) {
    return with_buffer([&](Kernel& k) {
      return BufferDecl{.name = "b", .space = space, .layout = words(k, 2), .words = contents};
    });
  };
  EXPECT_TRUE(is_valid(constant(Space::constant, {1, 2})));
  EXPECT_TRUE(has_only(constant(Space::constant, {1}), "bad-buffer",
                       "has 1 words for a layout of 8 bytes"));
  EXPECT_TRUE(has_only(constant(Space::workgroup, {1, 2}), "bad-buffer",
                       "has contents, but is workgroup memory"));
}

TEST(BufferTest, WindowsLieInWhatComesBack) {
  const auto window = [](Access access, std::uint32_t count, Window w) {
    return with_buffer([&](Kernel& k) {
      return BufferDecl{.name = "b", .access = access, .layout = words(k, count), .window = w};
    });
  };
  EXPECT_TRUE(is_valid(window(Access::output, 4, {3, 16})));
  EXPECT_TRUE(is_valid(window(Access::in_out, 4, {16, 16})));
  EXPECT_TRUE(is_valid(window(Access::output, 0, {100, 200})));
  EXPECT_TRUE(has_only(window(Access::output, 4, {3, 17}), "bad-buffer",
                       "has the window 3 … 17 of 16 bytes"));
  EXPECT_TRUE(has_only(window(Access::output, 4, {17}), "bad-buffer",
                       "has the window 17 … 16 of 16 bytes"));
  EXPECT_TRUE(has_only(window(Access::output, 0, {9, 8}), "bad-buffer", "has the window 9 … 8"));
  EXPECT_TRUE(
      has_only(window(Access::input, 4, {0, 8}), "bad-buffer", "does not come back to the host"));
}

TEST(BufferTest, LengthsComeFromRuntimeSizedBuffers) {
  const auto same = [](Access access, std::uint32_t count, BufferId Kernel::*other) {
    return with_buffer([&](Kernel& k) {
      return BufferDecl{
          .name = "b", .access = access, .layout = words(k, count), .same_length_as = k.*other};
    });
  };
  EXPECT_TRUE(is_valid(same(Access::output, 0, &Kernel::in)));
  EXPECT_TRUE(
      has_only(same(Access::output, 4, &Kernel::in), "bad-buffer", "is no runtime-sized output"));
  EXPECT_TRUE(
      has_only(same(Access::in_out, 0, &Kernel::in), "bad-buffer", "is no runtime-sized output"));
  EXPECT_TRUE(has_only(same(Access::output, 0, &Kernel::tile), "bad-buffer",
                       "takes its length from buffer `tile`, which is not runtime-sized"));
}

TEST(BufferTest, LengthsDoNotGoRoundInCircles) {
  EXPECT_TRUE(has_only(made([](Kernel& k) { k.edit(k.out).same_length_as = k.out; }), "bad-buffer",
                       "takes its length, through others, from itself"));
  EXPECT_TRUE(has_only(made([](Kernel& k) {
                         const BufferId b = k.buffer({.name = "b",
                                                      .binding = 9,
                                                      .access = Access::output,
                                                      .layout = words(k, 0),
                                                      .same_length_as = k.out});
                         k.edit(k.out).same_length_as = b;
                       }),
                       "bad-buffer", "from itself"));
}

TEST(BufferTest, BindingsAndNamesAreDistinct) {
  const auto second = [](BufferDecl b) {
    return made([&](Kernel& k) {
      b.layout = words(k, 4);
      k.buffer(b);
    });
  };
  EXPECT_TRUE(is_valid(second({.name = "x", .group = 1, .binding = 0})));
  EXPECT_TRUE(has_only(second({.name = "x", .binding = 0}), "duplicate-binding",
                       "buffers `in` and `x` both have group 0, binding 0"));
  EXPECT_TRUE(has_only(second({.name = "in", .binding = 9}), "duplicate-name",
                       "more than one buffer has the name `in`"));
  // What the host does not see has no binding, and two inlined copies of a function may name the
  // same local array.
  EXPECT_TRUE(is_valid(second({.name = "tile", .space = Space::local})));
}

TEST(BufferTest, LoweredProgramsMayRepeatBindingsAndNames) {
  EXPECT_TRUE(
      validate_lowered(made([](Kernel& k) {
        k.buffer({.name = "in", .binding = 0, .layout = words(k, 4), .words = {1, 2, 3, 4}});
      })).empty());
}

TEST(NameTest, AnyNameIsLegal) {
  for (const std::string& name :
       {std::string(), std::string("a b"), std::string("fn"), std::string("größe"),
        std::string("x\ny"), std::string(10000, 'n'), std::string("\0", 1)})
    EXPECT_TRUE(is_valid(made([&](Kernel& k) { k.edit(k.in).name = name; }))) << name;
}

TEST(NameTest, MessagesShowLongAndOddNamesInShort) {
  const auto report = [](std::string name) {
    return report_of(made([&](Kernel& k) {
      k.edit(k.in).name = std::move(name);
      k.store(Kernel::at(k.in, k.gid()), k.u32(1));
    }));
  };
  EXPECT_NE(report(std::string(10000, 'n')).find("`" + std::string(60, 'n') + "…`"),
            std::string::npos);
  EXPECT_NE(report("a\nb").find("`a?b`"), std::string::npos);
  // Never half of a character.
  EXPECT_NE(report(std::string(59, 'n') + "öö").find("`" + std::string(59, 'n') + "…`"),
            std::string::npos);
}

}  // namespace
}  // namespace vyre
