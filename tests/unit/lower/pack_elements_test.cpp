// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>

#include "lower/passes.h"
#include "unit/lower/run.h"

namespace vyre::test {
namespace {

constexpr ScalarType kNarrow[] = {ScalarType::u8, ScalarType::i8, ScalarType::u16, ScalarType::i16,
                                  ScalarType::half};

std::vector<std::uint8_t> some_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 73 + 0x5a);
  return bytes;
}

TEST(PackElements, LoadsAndStoresNarrowElements) {
  for (const ScalarType type : kNarrow)
    for (const std::size_t count : std::initializer_list<std::size_t>{1, 2, 3, 5, 31, 64}) {
      Builder b("narrow", {.workgroup = 64});
      auto in = b.buffer("in", Access::input, type);
      auto out = b.buffer("out", Access::in_out, type);
      const Value i = b.global_id();
      b.if_(i % 3u != 1u, [&] { out[i] = in[i]; });  // neighbours keep what they had
      const auto bytes = some_bytes(count * info(type).bytes);
      const std::vector<std::uint8_t> before(bytes.size(), 0xc3);
      PassInputs inputs = {{host(in, bytes), host(out, before)}, {1, 1, 1}};
      for (PassBuffer& buffer : inputs.buffers)
        buffer.count = count;
      expect_same(b, inputs, everything_target());
    }
}

TEST(PackElements, StoresPartsOfSharedWordsByAtomics) {
  Builder b("parts", {.workgroup = 64});
  auto out = b.buffer("out", Access::output, ScalarType::u8);
  out[b.global_id()] = 1u;
  const Program program = pack_elements(b.finish(), wgsl_target());
  EXPECT_TRUE(std::none_of(program.stmts.begin(), program.stmts.end(),
                           [](const Stmt& s) { return std::holds_alternative<Store>(s); }));
  EXPECT_EQ(program[program.layout(program.buffers[0]).element].kind, LayoutKind::atomic);
}

TEST(PackElements, KeepsBooleansAsWords) {
  Builder b("booleans", {.workgroup = 8});
  auto in = b.buffer("in", Access::input, ScalarType::boolean, 8);
  auto out = b.buffer("out", Access::output, ScalarType::boolean, 8);
  auto flags = b.workgroup("flags", ScalarType::boolean, 8);
  const Value i = b.local_index();
  flags[i] = in[i];
  b.workgroup_barrier();
  out[i] = !Value(flags[7u - i]);
  expect_same(b,
              {{host(in, std::vector<std::uint32_t>{0, 1, 2, 0, 0x80000000u, 0, 7, 0}),
                host(out, std::vector<std::uint32_t>(8))},
               {1, 1, 1}},
              everything_target());
}

TEST(PackElements, SplitsConsecutiveElements) {
  Builder b("consecutive", {.workgroup = 8});
  auto in = b.input<std::uint32_t>("in");
  auto out = b.output<std::uint32_t>("out");
  const Value i = b.global_id() * 4u - 2u;  // the first lane starts at the top of u32
  const auto values = in[i].load_many(4);
  out[i].store_many(values);
  std::vector<std::uint32_t> numbers(27);
  for (std::size_t k = 0; k < numbers.size(); ++k)
    numbers[k] = static_cast<std::uint32_t>(k + 1);
  expect_same(b, {{host(in, numbers), host(out, std::vector<std::uint32_t>(27))}, {1, 1, 1}},
              everything_target());
}

TEST(PackElements, MovesLargeConstantsToStorage) {
  for (const std::uint32_t count : {64u, 65u}) {
    Builder b("table", {.workgroup = 32});
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t i = 0; i < count; ++i)
      words[i] = i * i;
    auto table = b.constant("table", ScalarType::u32, words);
    auto out = b.output<std::uint32_t>("out", 96);
    const Value i = b.global_id();
    out[i] = table[i];
    const auto valid = b.build();
    ASSERT_TRUE(valid) << valid.error().to_string();
    EXPECT_EQ(check_passes(*valid, {{host(out, std::vector<std::uint32_t>(96))}, {3, 1, 1}},
                           everything_target()),
              "");
    const Program program = pack_elements(valid->program(), wgsl_target());
    const BufferDecl& buffer = program[table.id()];
    EXPECT_EQ(buffer.space, count > 64 ? Space::storage : Space::constant);
    EXPECT_EQ(buffer.words, words);
  }
}

TEST(PackElements, KeepsInWordsWhatNoLiteralSays) {
  const std::vector<std::uint32_t> special = {0x3f800000, 0x7f800000, 0xff800000, 0x7fc00000};
  const std::vector<std::uint32_t> plain = {0x3f800000, 0x80000000, 0x00000001, 0x7f7fffff};
  for (const ScalarType type : {ScalarType::f32, ScalarType::i32})
    for (const auto& words : {special, plain}) {
      Builder b("table", {.workgroup = 4});
      auto table = b.constant("table", type, words);
      auto other = b.constant("other", ScalarType::f32, plain);
      auto out = b.output<std::uint32_t>("out", 8);
      const Value i = b.global_id();
      out[i] = bitcast<std::uint32_t>(Value(table[i]));
      out[i + 4u] = bitcast<std::uint32_t>(Value(other[i]));
      const auto valid = b.build();
      ASSERT_TRUE(valid) << valid.error().to_string();
      EXPECT_EQ(check_passes(*valid, {{host(out, std::vector<std::uint32_t>(8))}, {1, 1, 1}},
                             everything_target()),
                "");
      const Program program = pack_elements(valid->program(), wgsl_target());
      const bool moves = type == ScalarType::f32 && words == special;
      const BufferDecl& buffer = program[table.id()];
      EXPECT_EQ(buffer.space, Space::constant);
      EXPECT_EQ(program[program.layout(buffer).element].scalar, moves ? ScalarType::u32 : type);
    }
}

TEST(PackElements, KeepsSpecialHalvesInWords) {
  Builder b("halves", {.workgroup = 4});
  auto table = b.constant("table", ScalarType::f16, {0x7c003c00, 0xfc007bff});
  auto out = b.output<float>("out", 4);
  const Value i = b.global_id();
  out[i] = convert<float>(Value(table[i]));
  expect_same(b, {{host(out, std::vector<float>(4))}, {1, 1, 1}}, everything_target());
}

TEST(PackElements, MovesUniformsThatAreTooLargeOrRefused) {
  const auto space_of = [](std::vector<Builder::Member> members, std::uint64_t limit) {
    Builder b("uniform", {.workgroup = 1});
    auto params = b.structure("params", Space::uniform, Access::input, std::move(members));
    auto out = b.output<std::uint32_t>("out", 1);
    out[0u] = params.member("first");
    Target target = wgsl_target();
    target.max_uniform_bytes = limit;
    return pack_elements(b.finish(), target)[params.id()].space;
  };
  EXPECT_EQ(space_of({{"first", ScalarType::u32}, {"second", ScalarType::f32}}, 65536),
            Space::uniform);
  EXPECT_EQ(space_of({{"first", ScalarType::u32}, {"rest", ScalarType::f32, 1, 4}}, 65536),
            Space::storage);  // an array with a stride of 4
  EXPECT_EQ(space_of({{"first", ScalarType::u32}, {"rest", ScalarType::f32, 4, 8}}, 65536),
            Space::uniform);
  EXPECT_EQ(space_of({{"first", ScalarType::u32}, {"rest", ScalarType::f32, 4, 8}}, 128),
            Space::storage);
}

}  // namespace
}  // namespace vyre::test
