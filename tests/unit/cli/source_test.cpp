// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/source.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/npy.h"
#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

std::vector<std::byte> load(const Program& program, std::string_view source, bool pad = false) {
  auto supplied = load_source(program, program.buffers[0], source, pad);
  EXPECT_TRUE(supplied) << (supplied ? "" : supplied.error().message());
  return supplied ? std::move(supplied->bytes) : std::vector<std::byte>{};
}

Error fault(const Program& program, std::string_view source, bool pad = false) {
  auto supplied = load_source(program, program.buffers[0], source, pad);
  EXPECT_FALSE(supplied) << source;
  return supplied ? Error(ErrorKind::io, "none", "") : std::move(supplied).error();
}

std::string temporary(const std::string& name, std::span<const std::byte> bytes) {
  const std::string path = testing::TempDir() + "source_test." + name;
  EXPECT_TRUE(write_file(path, bytes));
  return path;
}

std::string npy(const std::string& name,
                ScalarType type,
                std::vector<std::uint64_t> shape,
                std::span<const std::byte> data) {
  return temporary(name + ".npy", format_npy(type, shape, data));
}

using Floats = std::vector<float>;
using Words = std::vector<std::uint32_t>;

TEST(SourceList, FillsScalars) {
  EXPECT_EQ(values_of<float>(load(program_of(ScalarType::f32), "1,2.5,-3")), (Floats{1, 2.5, -3}));
  EXPECT_EQ(values_of<std::uint32_t>(load(program_of(ScalarType::u32), "7")), Words{7});
}

TEST(SourceList, FillsVectorsWithPadding) {
  EXPECT_EQ(values_of<float>(load(program_with(vec3_array), "1,2,3,4,5,6")),
            (Floats{1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST(SourceList, FillsAStructureInOrder) {
  const auto bytes = load(program_with(params), "5,0.5,1,2,3");
  EXPECT_EQ(values_of<std::uint32_t>(bytes)[0], 5U);
  EXPECT_EQ(values_of<float>(bytes)[6], 3.0F);
}

TEST(SourceList, FillsATrailingArray) {
  EXPECT_EQ(values_of<std::int32_t>(load(program_with(log_with_rows), "9,1,2,3,4")),
            (std::vector<std::int32_t>{9, 0, 1, 2, 3, 4}));
}

TEST(SourceList, Faults) {
  EXPECT_EQ(fault(program_with(vec3_array), "1,2,3,4").message(),
            "buffer `data` (array<vec3<f32>>) takes 3 numbers an element, but `1,2,3,4` has 4");
  EXPECT_EQ(fault(program_of(ScalarType::u32, 2), "1,2,3").message(),
            "buffer `data` (array<u32, 2>) holds at most 2 elements, but `1,2,3` has 3");
  EXPECT_EQ(fault(program_of(ScalarType::u32), "1,2.5").message(),
            "buffer `data` (array<u32>): `2.5` is no value of type u32");
  EXPECT_EQ(fault(program_with(params), "1").message(),
            "buffer `data` (Params) takes 5 numbers an element, but `1` has 1");
}

TEST(SourceGenerator, Zeros) {
  EXPECT_EQ(load(program_with(vec3_array), "zeros:2"), std::vector<std::byte>(32));
  EXPECT_TRUE(load(program_of(ScalarType::u32), "zeros:0").empty());
}

TEST(SourceGenerator, Range) {
  EXPECT_EQ(values_of<float>(load(program_with(vec3_array), "range:2")),
            (Floats{0, 1, 2, 0, 3, 4, 5, 0}));
  EXPECT_EQ(values_of<std::uint8_t>(load(program_of(ScalarType::u8), "range:257"))[256], 0U);
}

TEST(SourceGenerator, RandomIsDeterminedByItsSeed) {
  const Program program = program_of(ScalarType::u32);
  EXPECT_EQ(load(program, "random:100"), load(program, "random:100:0"));
  EXPECT_NE(load(program, "random:100:1"), load(program, "random:100:2"));
  // The first output of SplitMix64 with seed 0 is e220a8397b1dcdaf.
  EXPECT_EQ(values_of<std::uint32_t>(load(program, "random:1"))[0], 0xe220a839U);
}

TEST(SourceGenerator, RandomFloatsAreBelowOne) {
  for (const float value : values_of<float>(load(program_of(ScalarType::f32), "random:1000:3"))) {
    EXPECT_GE(value, 0.0F);
    EXPECT_LT(value, 1.0F);
  }
}

TEST(SourceGenerator, Faults) {
  EXPECT_EQ(fault(program_of(ScalarType::u32), "zeros:-1").message(),
            "`-1` of `zeros:-1` is no whole number that fits 64 bits");
  EXPECT_EQ(fault(program_of(ScalarType::u32), "random:1:x").message(),
            "`x` of `random:1:x` is no whole number that fits 64 bits");
  EXPECT_EQ(fault(program_of(ScalarType::u32), "zeros:4294967296").message(),
            "buffer `data` (array<u32>) holds at most 4294967295 elements, but `zeros:4294967296` "
            "has 4294967296");
  EXPECT_EQ(fault(program_of(ScalarType::u32, 4), "range:5").code(), "wrong-length");
}

TEST(SourceRaw, WholeElements) {
  const std::string path = temporary("raw", bytes_of<std::uint32_t>({1, 2, 3}));
  EXPECT_EQ(values_of<std::uint32_t>(load(program_of(ScalarType::u32), path)), (Words{1, 2, 3}));
  EXPECT_EQ(values_of<std::uint32_t>(load(program_of(ScalarType::u32, 5), path)), (Words{1, 2, 3}));
}

TEST(SourceRaw, PadsOnRequestOnly) {
  const std::string path = temporary("odd", bytes_of<std::uint8_t>({1, 0, 0, 0, 2}));
  const Program program = program_of(ScalarType::u32);
  const Error error = fault(program, path);
  EXPECT_EQ(error.message(), "buffer `data` (array<u32>) takes whole elements of 4 bytes, but `" +
                                 path + "` has 5 bytes");
  EXPECT_EQ(error.help(), "--pad adds 3 zero bytes at the end");
  const auto supplied = load_source(program, program.buffers[0], path, true);
  ASSERT_TRUE(supplied);
  EXPECT_EQ(supplied->padded, 3U);
  EXPECT_EQ(values_of<std::uint32_t>(supplied->bytes), (Words{1, 2}));
}

TEST(SourceRaw, AStructureWithATrailingArray) {
  const Program program = program_with(log_with_rows);
  EXPECT_EQ(fault(program, temporary("short", std::vector<std::byte>(4))).help(),
            "--pad adds 4 zero bytes at the end");
  EXPECT_EQ(fault(program, temporary("ragged", std::vector<std::byte>(12))).message(),
            "buffer `data` (Log) takes 8 bytes and whole elements of 8 bytes, but `" +
                testing::TempDir() + "source_test.ragged` has 12 bytes");
  EXPECT_EQ(load(program, temporary("whole", std::vector<std::byte>(24))).size(), 24U);
}

TEST(SourceRaw, TooLong) {
  const std::string path = temporary("long", std::vector<std::byte>(12));
  EXPECT_EQ(fault(program_of(ScalarType::u32, 2), path).message(),
            "buffer `data` (array<u32, 2>) holds at most 8 bytes, but `" + path + "` has 12");
}

TEST(SourceRaw, NoSuchFile) {
  EXPECT_EQ(fault(program_of(ScalarType::u32), "no/such/file").kind(), ErrorKind::io);
  EXPECT_EQ(fault(program_of(ScalarType::u32), testing::TempDir()).kind(), ErrorKind::io);
}

TEST(SourceNpy, RowsOfVectors) {
  const std::string path =
      npy("rows", ScalarType::f32, {2, 3}, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(values_of<float>(load(program_with(vec3_array), path)),
            (Floats{1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST(SourceNpy, AllAxesOfAnArrayOfScalarsCountRows) {
  const std::string path =
      npy("square", ScalarType::u32, {2, 2}, bytes_of<std::uint32_t>({1, 2, 3, 4}));
  EXPECT_EQ(values_of<std::uint32_t>(load(program_of(ScalarType::u32), path)), (Words{1, 2, 3, 4}));
}

TEST(SourceNpy, AMatrixByColumns) {
  const Program program =
      program_with([](Assembler& a) { return a.matrix(ScalarType::f32, 2, 3); });
  const std::string path =
      npy("matrix", ScalarType::f32, {2, 3}, bytes_of<float>({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(
      fault(program, npy("flat", ScalarType::f32, {6}, bytes_of<float>({1, 2, 3, 4, 5, 6}))).code(),
      "wrong-shape");
  EXPECT_EQ(values_of<float>(load(program, path)), (Floats{1, 2, 3, 0, 4, 5, 6, 0}));
}

TEST(SourceNpy, AScalar) {
  const Program program = program_with([](Assembler& a) { return a.scalar(ScalarType::f32); },
                                       Space::uniform, Access::input);
  EXPECT_EQ(
      values_of<float>(load(program, npy("scalar", ScalarType::f32, {}, bytes_of<float>({4})))),
      Floats{4});
  EXPECT_EQ(values_of<float>(load(program, npy("one", ScalarType::f32, {1}, bytes_of<float>({4})))),
            Floats{4});
  EXPECT_EQ(fault(program, npy("two", ScalarType::f32, {2}, bytes_of<float>({4, 5}))).code(),
            "wrong-shape");
}

TEST(SourceNpy, NoRows) {
  EXPECT_TRUE(load(program_with(vec3_array), npy("none", ScalarType::f32, {0, 3}, {})).empty());
}

TEST(SourceNpy, WrongDtype) {
  const std::string path = npy("ints", ScalarType::i32, {1}, bytes_of<std::int32_t>({1}));
  const Error error = fault(program_of(ScalarType::f32), path);
  EXPECT_EQ(error.message(),
            "buffer `data` (array<f32>) takes dtype float32, but `" + path + "` has int32");
  EXPECT_EQ(error.help(), "save it with .astype(numpy.float32)");
}

TEST(SourceNpy, WrongShape) {
  const std::string path = npy("wide", ScalarType::f32, {2, 4}, std::vector<std::byte>(32));
  EXPECT_EQ(fault(program_with(vec3_array), path).message(),
            "buffer `data` (array<vec3<f32>>) takes shape (N, 3), but `" + path + "` has (2, 4)");
  const std::string flat = npy("flat3", ScalarType::f32, {3}, std::vector<std::byte>(12));
  EXPECT_EQ(fault(program_with(vec3_array), flat).code(), "wrong-shape");
  const std::string scalar = npy("no_axes", ScalarType::u32, {}, std::vector<std::byte>(4));
  EXPECT_EQ(fault(program_of(ScalarType::u32), scalar).message(),
            "buffer `data` (array<u32>) takes shape (N,), but `" + scalar + "` has ()");
}

TEST(SourceNpy, TooManyRows) {
  const std::string path = npy("many", ScalarType::u32, {3}, std::vector<std::byte>(12));
  EXPECT_EQ(fault(program_of(ScalarType::u32, 2), path).code(), "wrong-length");
}

TEST(SourceNpy, NumbersOfOtherTypesDoNotFillAStructure) {
  const std::string path = npy("struct", ScalarType::u32, {8}, std::vector<std::byte>(32));
  EXPECT_EQ(fault(program_with(params), path).message(),
            "buffer `data` (Params) is not filled by `" + path +
                "`: the file has dtype uint32 of shape (8,), but Params takes [('width', '<u4'), "
                "('scale', '<f4'), ('color', '<f4', (3,))]");
}

// ------------------------------------------------------------------------------------- records

/// A structured file as NumPy writes it.
std::string records(const std::string& name,
                    const std::string& descr,
                    const std::string& shape,
                    const std::vector<std::byte>& data) {
  std::string header =
      "{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n";
  std::string text = "\x93NUMPY\x02";
  text += '\0';
  for (const unsigned shift : {0U, 8U, 16U, 24U})
    text += static_cast<char>(header.size() >> shift & 0xffU);
  text += header;
  for (const std::byte byte : data)
    text += static_cast<char>(byte);
  const std::string path = testing::TempDir() + "source_test." + name + ".npy";
  EXPECT_TRUE(write_file(path, text));
  return path;
}

std::vector<float> params_of(const std::string& file) {
  const auto supplied = load(program_with(params), file);
  return values_of<float>(supplied);
}

TEST(SourceRecords, MembersAndFieldsMeetByName) {
  const std::vector<float> wanted = {1, 2, 0, 0, 3, 4, 5, 0};
  const auto one = [&](const char* descr, const std::vector<float>& data) {
    return params_of(records("record", descr, "()", bytes_of(data)));
  };
  EXPECT_EQ(one("[('width', '<u4'), ('scale', '<f4'), ('color', '<f4', (3,))]", {1, 2, 3, 4, 5}),
            wanted);
  EXPECT_EQ(one("[('color', '<f4', (3,)), ('width', '<u4'), ('scale', '<f4')]", {3, 4, 5, 1, 2}),
            wanted);
  EXPECT_EQ(one("[('width', '<u4'), ('', '|V4'), ('scale', '<f4'), ('', '|V8'), "
                "('color', '<f4', (3,)), ]",
                {1, 9, 2, 9, 9, 3, 4, 5}),
            wanted);
  EXPECT_EQ(one("[(('title', 'width'), '<u4'), ('scale', '<f4'), ('color', '<f4', (3,))]",
                {1, 2, 3, 4, 5}),
            wanted);
}

TEST(SourceRecords, BigEndianFields) {
  const std::vector<std::uint32_t> data = {0x01000000U, 0x0000803fU, 0, 0, 0x803f0000U};
  const std::string path =
      records("big", "[('width', '>u4'), ('scale', '>f4'), ('color', '<f4', (3,))]", "(1,)",
              bytes_of(data));
  const auto bytes = load(program_with(params), path);
  EXPECT_EQ(values_of<std::uint32_t>(bytes)[0], 1U);
  EXPECT_EQ(values_of<std::uint32_t>(bytes)[1], 0x3f800000U);
  EXPECT_EQ(values_of<std::uint32_t>(bytes)[6], 0x803f0000U);
}

TEST(SourceRecords, Faults) {
  const auto fault_of = [&](const char* descr, const char* shape, std::size_t bytes) {
    const std::string path = records("fault", descr, shape, std::vector<std::byte>(bytes));
    const std::string message = fault(program_with(params), path).message();
    return message.substr(message.rfind("`: ") + 3);
  };
  EXPECT_EQ(fault_of("[('width', '<u4'), ('scale', '<f4')]", "()", 8),
            "there is no field `color` for the vec3<f32> of Params");
  EXPECT_EQ(fault_of("[('width', '<u4'), ('x', '<f4')]", "()", 8),
            "field `x` is no member of Params; there are `width`, `scale` and `color`");
  EXPECT_EQ(fault_of("[('width', '<i4'), ('scale', '<f4'), ('color', '<f4', (3,))]", "()", 20),
            "field `width` has dtype int32, but u32 takes uint32");
  EXPECT_EQ(fault_of("[('width', '<u4'), ('scale', '<f4'), ('color', '<f4', (4,))]", "()", 24),
            "field `color` has dtype float32 of shape (4,), but vec3<f32> takes float32 of shape "
            "(3,)");
}

TEST(SourceRecords, ManyForOneStructure) {
  const std::string path =
      records("many", "[('width', '<u4'), ('scale', '<f4'), ('color', '<f4', (3,))]", "(2,)",
              std::vector<std::byte>(40));
  EXPECT_EQ(fault(program_with(params), path).code(), "wrong-shape");
}

TEST(SourceRecords, BrokenHeadersAreErrors) {
  std::string deep = "'<f4'";
  for (int i = 0; i < 1000; ++i)
    deep = "[('a', " + deep + ")]";
  for (const std::string& descr :
       {std::string("["), std::string("[]"), std::string("[('a')]"), std::string("[('a', '<f4'"),
        std::string("[('a', '<f4', )"), std::string("[('a', '<f4', (3)]"),
        std::string("[('a', [])]"), std::string("[('a', '|V0')]"), std::string("[('a', '<c8')]"),
        deep, std::string("[('a', '<f4', (4294967296, 4294967296, 4294967296))]")}) {
    EXPECT_EQ(fault(program_with(params), records("broken", descr, "()", {})).code(), "bad-npy")
        << descr;
  }
}

TEST(SourceRaw, WhatIsTooLongIsNoMatterOfPadding) {
  const std::string path = testing::TempDir() + "source_test.long.bin";
  ASSERT_TRUE(write_file(path, std::string(9, 'x')));
  const Error error = fault(program_of(ScalarType::u32, 2), path);
  EXPECT_EQ(error.message(),
            "buffer `data` (array<u32, 2>) holds at most 8 bytes, but `" + path + "` has 9");
  EXPECT_EQ(error.help(), "");
}

}  // namespace
}  // namespace vyre::cli
