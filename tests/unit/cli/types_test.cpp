// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/types.h"

#include <gtest/gtest.h>

#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

std::string name_of(const Program& program) {
  return type_name(program, program.buffers[0].layout);
}

TEST(TypeName, SpellsTypesAsWgslDoes) {
  EXPECT_EQ(name_of(program_of(ScalarType::u32)), "array<u32>");
  EXPECT_EQ(name_of(program_of(ScalarType::f32, 8)), "array<f32, 8>");
  EXPECT_EQ(name_of(program_with(vec3_array)), "array<vec3<f32>>");
  EXPECT_EQ(name_of(program_with(params)), "Params");
  EXPECT_EQ(name_of(program_with([](Assembler& a) { return a.matrix(ScalarType::f32, 2, 3); })),
            "mat2x3<f32>");
  EXPECT_EQ(name_of(program_with(
                [](Assembler& a) { return a.array(a.array(a.atomic(ScalarType::i32), 4), 3); })),
            "array<array<atomic<i32>, 4>, 3>");
}

TEST(Strided, PadsVec3Rows) {
  const Program program = program_with(vec3_array);
  const auto type = strided(program, program.buffers[0].layout, 2);
  ASSERT_TRUE(type);
  EXPECT_EQ(type->shape, (std::vector<std::uint64_t>{2, 3}));
  EXPECT_EQ(type->strides, (std::vector<std::uint64_t>{16, 4}));

  std::vector<std::byte> laid(32);
  scatter(*type, bytes_of<float>({1, 2, 3, 4, 5, 6}), laid);
  EXPECT_EQ(values_of<float>(laid), (std::vector<float>{1, 2, 3, 0, 4, 5, 6, 0}));
  EXPECT_EQ(values_of<float>(gather(*type, laid)), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Strided, AMatrixIsColumnsOfRows) {
  const Program program =
      program_with([](Assembler& a) { return a.array(a.matrix(ScalarType::f32, 2, 3), 0); });
  const auto type = strided(program, program.buffers[0].layout, 5);
  ASSERT_TRUE(type);
  EXPECT_EQ(type->shape, (std::vector<std::uint64_t>{5, 2, 3}));
  EXPECT_EQ(type->strides, (std::vector<std::uint64_t>{32, 16, 4}));
}

TEST(Strided, AStructureIsNone) {
  const Program program = program_with(params);
  EXPECT_FALSE(strided(program, program.buffers[0].layout, 0));
}

TEST(Strided, NoElementsAreNoBytes) {
  const Program program = program_with(vec3_array);
  const auto type = strided(program, program.buffers[0].layout, 0);
  ASSERT_TRUE(type);
  EXPECT_TRUE(gather(*type, {}).empty());
}

TEST(Extents, OfARuntimeArrayAStaticOneAndAStructure) {
  const Program runtime = program_with(log_with_rows);
  const Extent rows = extent(runtime, runtime.buffers[0]);
  EXPECT_TRUE(rows.runtime);
  EXPECT_EQ(rows.fixed_bytes, 8U);  // `used` and the gap before 8-aligned rows
  EXPECT_EQ(rows.stride, 8U);

  const Program fixed = program_of(ScalarType::u32, 256);
  const Extent words = extent(fixed, fixed.buffers[0]);
  EXPECT_FALSE(words.runtime);
  EXPECT_EQ(words.stride, 4U);
  EXPECT_EQ(words.max_count, 256U);

  const Program whole = program_with(params);
  EXPECT_EQ(extent(whole, whole.buffers[0]).stride, 32U);
  EXPECT_EQ(extent(whole, whole.buffers[0]).max_count, 1U);
}

TEST(ScalarCount, OfStructures) {
  const Program whole = program_with(params);
  EXPECT_EQ(scalar_counts(whole, whole.buffers[0].layout).fixed, 5U);
  const Program runtime = program_with(log_with_rows);
  EXPECT_EQ(scalar_counts(runtime, runtime.buffers[0].layout).fixed, 1U);
  EXPECT_EQ(scalar_counts(runtime, runtime.buffers[0].layout).element, 2U);
}

std::vector<std::byte> set(const Program& program,
                           std::string_view path,
                           std::string_view values,
                           std::uint64_t count,
                           std::size_t size) {
  std::vector<std::byte> bytes(size);
  const auto part = find_part(program, program.buffers[0], path, count);
  EXPECT_TRUE(part) << path;
  if (part) {
    const Status done = set_part(program, *part, values, count, bytes);
    EXPECT_TRUE(done) << values;
  }
  return bytes;
}

std::string path_fault(const Program& program, std::string_view path, std::uint64_t count = 0) {
  const auto part = find_part(program, program.buffers[0], path, count);
  EXPECT_FALSE(part) << path;
  return part ? "" : part.error().message();
}

TEST(Paths, SetAMember) {
  const Program program = program_with(params);
  EXPECT_EQ(values_of<std::uint32_t>(set(program, ".width", "7", 0, 32))[0], 7U);
  const auto colored = values_of<float>(set(program, ".color", "1,2,3", 0, 32));
  EXPECT_EQ(colored, (std::vector<float>{0, 0, 0, 0, 1, 2, 3, 0}));
}

TEST(Paths, SetTheWholeInOrder) {
  const auto bytes = set(program_with(params), "", "9,0.5,1,2,3", 0, 32);
  EXPECT_EQ(values_of<std::uint32_t>(bytes)[0], 9U);
  EXPECT_EQ(values_of<float>(bytes)[1], 0.5F);
  EXPECT_EQ(values_of<float>(bytes)[4], 1.0F);
}

TEST(Paths, SetAnElementOfATrailingArray) {
  const auto bytes = set(program_with(log_with_rows), ".rows[1]", "-1,-2", 2, 24);
  EXPECT_EQ(values_of<std::int32_t>(bytes), (std::vector<std::int32_t>{0, 0, 0, 0, -1, -2}));
}

TEST(Paths, SetAComponentOfAVector) {
  for (const char* path : {".color.z", ".color.b", ".color[2]"}) {
    const auto bytes = set(program_with(params), path, "7", 0, 32);
    EXPECT_EQ(values_of<float>(bytes), (std::vector<float>{0, 0, 0, 0, 0, 0, 7, 0})) << path;
  }
  EXPECT_EQ(values_of<std::int32_t>(set(program_with(log_with_rows), ".rows[1].y", "-2", 2, 24)),
            (std::vector<std::int32_t>{0, 0, 0, 0, 0, -2}));
}

TEST(Paths, SetAComponentOfAMatrix) {
  const auto matrix = [](Assembler& a) { return a.matrix(ScalarType::f32, 2, 3); };
  const auto bytes = set(program_with(matrix), "[1].y", "7", 0, 32);
  EXPECT_EQ(values_of<float>(bytes), (std::vector<float>{0, 0, 0, 0, 0, 7, 0, 0}));
}

TEST(Paths, FaultsOfComponents) {
  const Program program = program_with(params);
  EXPECT_EQ(path_fault(program, ".color.w"),
            "there is no component of vec3<f32> `w`; there are `x`, `y`, `z`, `r`, `g` and `b`");
  EXPECT_EQ(path_fault(program, ".color.xy"),
            "there is no component of vec3<f32> `xy`; there are `x`, `y`, `z`, `r`, `g` and `b`");
  EXPECT_EQ(path_fault(program, ".color[3]"), "index 3 is beyond vec3<f32> of 3 components");
  EXPECT_EQ(path_fault(program, ".color.x.x"), "there is no member `x` in a value of type f32");
  EXPECT_EQ(path_fault(program, ".color.x[0]"), "a value of type f32 has no element 0");
}

TEST(Paths, Faults) {
  const Program program = program_with(params);
  EXPECT_EQ(path_fault(program, ".widht"),
            "there is no member of Params `widht`; there are `width`, `scale` and `color`");
  EXPECT_EQ(path_fault(program, ".width.x"), "there is no member `x` in a value of type u32");
  EXPECT_EQ(path_fault(program, "[0]"), "a value of type Params has no element 0");
  EXPECT_EQ(path_fault(program, "width"), "`width` is no path of members and elements");
  EXPECT_EQ(path_fault(program_with(log_with_rows), ".rows[2]", 2),
            "index 2 is beyond array<vec2<i32>> of 2 elements");
  EXPECT_EQ(path_fault(program_with(log_with_rows), ".rows[x]", 2), "`x` is no index");
  EXPECT_EQ(path_fault(program_with(log_with_rows), ".rows[", 2),
            "the index `` lacks its closing bracket");
  EXPECT_EQ(path_fault(program_with(log_with_rows), ".rows[1", 2),
            "the index `1` lacks its closing bracket");
  EXPECT_EQ(path_fault(program_with(log_with_rows), ".rows[]", 2), "`` is no index");
}

TEST(Paths, AListMustBeWhole) {
  const Program program = program_with(params);
  const auto part = find_part(program, program.buffers[0], ".color", 0);
  ASSERT_TRUE(part);
  std::vector<std::byte> bytes(32);
  const Status done = set_part(program, *part, "1,2", 0, bytes);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "a value of type vec3<f32> takes 3 numbers, but `1,2` has 2");
}

}  // namespace
}  // namespace vyre::cli
