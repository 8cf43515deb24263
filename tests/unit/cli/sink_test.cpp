// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/sink.h"

#include <string>

#include <gtest/gtest.h>

#include "base/file.h"
#include "cli/npy.h"
#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

using namespace std::string_literals;

std::string path_of(const std::string& name) {
  return testing::TempDir() + "sink_test." + name;
}

std::vector<std::byte> content(const std::string& path) {
  auto bytes = read_file(path);
  EXPECT_TRUE(bytes);
  return bytes ? *std::move(bytes) : std::vector<std::byte>{};
}

std::string write(const Program& program,
                  Sink sink,
                  std::uint64_t count,
                  std::span<const std::byte> bytes) {
  sink.buffer = program.buffers.data();
  const Status checked = check_sink(program, sink, count);
  EXPECT_TRUE(checked) << (checked ? "" : checked.error().message());
  const auto text = write_sink(program, sink, count, bytes);
  EXPECT_TRUE(text) << (text ? "" : text.error().message());
  return text ? *text : "";
}

std::string fault(const Program& program, Sink sink, std::uint64_t count) {
  sink.buffer = program.buffers.data();
  const Status checked = check_sink(program, sink, count);
  EXPECT_FALSE(checked);
  return checked ? "" : checked.error().message();
}

TEST(SinkPrint, AnElementALine) {
  EXPECT_EQ(write(program_of(ScalarType::i32), {.file = "-"}, 2, bytes_of<std::int32_t>({-1, 5})),
            "-1\n5\n");
  EXPECT_EQ(write(program_with(vec3_array), {.file = "-"}, 2,
                  bytes_of<float>({1, 2, 3, 0, 4.5, 5, 6, 0})),
            "1,2,3\n4.5,5,6\n");
  EXPECT_EQ(write(program_of(ScalarType::i32), {.file = "-"}, 0, {}), "");
}

TEST(SinkPrint, AStructureIsOneLine) {
  EXPECT_EQ(
      write(program_with(log_with_rows), {.file = "-"}, 1, bytes_of<std::int32_t>({7, 0, -1, 2})),
      "7,-1,2\n");
}

TEST(SinkRaw, KeepsTheLayout) {
  const auto bytes = bytes_of<float>({1, 2, 3, 0});
  EXPECT_EQ(write(program_with(vec3_array), {.file = path_of("bin")}, 1, bytes), "");
  EXPECT_EQ(content(path_of("bin")), bytes);
}

TEST(SinkNpy, HasTheShapeOfTheType) {
  write(program_with(vec3_array), {.file = path_of("a.npy")}, 1, bytes_of<float>({1, 2, 3, 9}));
  const auto npy = parse_npy(content(path_of("a.npy")), "a");
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->shape, (std::vector<std::uint64_t>{1, 3}));
  EXPECT_EQ(values_of<float>(npy->data), (std::vector<float>{1, 2, 3}));
}

TEST(SinkNpy, TakesItsRowsFromTheShape) {
  write(program_of(ScalarType::u32),
        {.file = path_of("b.npy"), .rows = std::vector<std::uint64_t>{2, 3}}, 6,
        std::vector<std::byte>(24));
  const auto npy = parse_npy(content(path_of("b.npy")), "b");
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->shape, (std::vector<std::uint64_t>{2, 3}));
}

TEST(SinkNpy, Faults) {
  EXPECT_EQ(fault(program_of(ScalarType::u32),
                  {.file = "a.npy", .rows = std::vector<std::uint64_t>{2, 2}}, 6),
            "--shape (2, 2) does not fit buffer `data` (array<u32>), which has 6 elements");
  EXPECT_EQ(fault(program_of(ScalarType::u32),
                  {.file = "a.npy", .rows = std::vector<std::uint64_t>{1ULL << 63, 2}}, 0),
            "--shape (9223372036854775808, 2) does not fit buffer `data` (array<u32>), which has 0 "
            "elements");
  EXPECT_EQ(fault(program_with(log_with_rows), {.file = "a.npy"}, 1),
            "buffer `data` (Log) ends with a runtime-sized array, which no record of `a.npy` can "
            "hold");
}

TEST(SinkNpy, AStructureIsARecord) {
  const auto bytes = bytes_of<float>({1, 2, 9, 9, 3, 4, 5, 9});  // 9: gaps
  write(program_with(params), {.file = path_of("s.npy")}, 1, bytes);
  const auto npy = parse_npy(content(path_of("s.npy")), "s");
  ASSERT_TRUE(npy);
  EXPECT_EQ(dtype_text(npy->element),
            "[('width', '<u4'), ('scale', '<f4'), ('color', '<f4', (3,))]");
  EXPECT_EQ(npy->shape, (std::vector<std::uint64_t>{}));
  EXPECT_EQ(values_of<float>(npy->data), (std::vector<float>{1, 2, 3, 4, 5}));
}

// ------------------------------------------------------------------------------------------- csv

std::string csv(const Program& program,
                Sink sink,
                std::uint64_t count,
                std::span<const std::byte> bytes) {
  sink.file = path_of("csv");
  write(program, sink, count, bytes);
  const auto text = content(sink.file);
  return {reinterpret_cast<const char*>(text.data()), text.size()};
}

TEST(SinkCsv, AnElementALine) {
  EXPECT_EQ(
      csv(program_with(vec3_array), {.file = ""}, 2, bytes_of<float>({1, 2, 3, 0, 4.5, 5, 6, 0})),
      "1,2,3\n4.5,5,6\n");
  EXPECT_EQ(csv(program_of(ScalarType::u32), {.file = ""}, 0, {}), "");
}

TEST(SinkCsv, ARowALine) {
  EXPECT_EQ(csv(program_of(ScalarType::u32), {.file = "", .rows = std::vector<std::uint64_t>{2, 3}},
                6, bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 6})),
            "1,2,3\n4,5,6\n");
}

TEST(SinkCsv, StructuresHaveTheNamesOfTheirMembersFirst) {
  EXPECT_EQ(csv(program_with(params), {.file = ""}, 1, bytes_of<float>({0, 2, 9, 9, 3, 4, 5, 9})),
            "width,scale,color.x,color.y,color.z\n0,2,3,4,5\n");
  EXPECT_EQ(
      csv(program_with(log_with_rows), {.file = ""}, 1, bytes_of<std::int32_t>({7, 0, -1, 2})),
      "7,-1,2\n");
}

// ------------------------------------------------------------------------------------------- raw

TEST(SinkRaw, NotUnderANameThatPromisesMore) {
  for (const char* file : {"a.json", "a.txt", "a.jpg", "A.JPEG", "a.npz", "a.wgsl", "a.tsv"}) {
    EXPECT_EQ(fault(program_of(ScalarType::u32), {.file = file}, 1).find("`"s + file), 0U) << file;
  }
  for (const char* file : {"bin", "raw", "dat", "data", "f32"})
    write(program_of(ScalarType::u32), {.file = path_of(file)}, 1, std::vector<std::byte>(4));
}

/// Width, height, bit depth and colour type lie at fixed places of a PNG file.
struct PngHead {
  std::uint32_t width;
  std::uint32_t height;
  int depth;
  int color;
};

PngHead png_head(const std::vector<std::byte>& file) {
  const auto at = [&](std::size_t i) { return std::to_integer<std::uint32_t>(file.at(i)); };
  const auto word = [&](std::size_t i) {
    return at(i) << 24 | at(i + 1) << 16 | at(i + 2) << 8 | at(i + 3);
  };
  EXPECT_EQ(word(0), 0x89504e47U);
  EXPECT_EQ(word(12), 0x49484452U);  // IHDR
  return {word(16), word(20), static_cast<int>(at(24)), static_cast<int>(at(25))};
}

TEST(SinkPng, PackedWordsAreRgba) {
  write(program_of(ScalarType::u32),
        {.file = path_of("c.png"), .rows = std::vector<std::uint64_t>{2, 3}}, 6,
        std::vector<std::byte>(24));
  const PngHead head = png_head(content(path_of("c.png")));
  EXPECT_EQ(head.width, 3U);
  EXPECT_EQ(head.height, 2U);
  EXPECT_EQ(head.depth, 8);
  EXPECT_EQ(head.color, 6);
}

TEST(SinkPng, BytesAreGreyOrRgb) {
  write(program_of(ScalarType::u8),
        {.file = path_of("d.png"), .rows = std::vector<std::uint64_t>{2, 3}}, 6,
        std::vector<std::byte>(6));
  EXPECT_EQ(png_head(content(path_of("d.png"))).color, 0);
  write(program_of(ScalarType::u8),
        {.file = path_of("e.png"), .rows = std::vector<std::uint64_t>{1, 2, 3}}, 6,
        std::vector<std::byte>(6));
  EXPECT_EQ(png_head(content(path_of("e.png"))).color, 2);
}

TEST(SinkPng, Faults) {
  EXPECT_EQ(fault(program_of(ScalarType::u32), {.file = "a.png"}, 6),
            "buffer `data` (array<u32>) has shape (6,), but a .png takes two axes");
  EXPECT_EQ(fault(program_of(ScalarType::f32), {.file = "a.png"}, 6),
            "buffer `data` (array<f32>) is no picture: a .png takes u32 as packed RGBA, or u8");
}

TEST(SinkFile, AnUnwritableFolder) {
  const Program program = program_of(ScalarType::u32);
  const Sink sink{program.buffers.data(), "/no/such/folder/x.bin"};
  const auto text = write_sink(program, sink, 0, {});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind(), ErrorKind::io);
}

TEST(SinkShape, Parses) {
  const auto shape = parse_shape("480,640");
  ASSERT_TRUE(shape);
  EXPECT_EQ(*shape, (std::vector<std::uint64_t>{480, 640}));
  for (const char* text : {"", "1,", "a", "-1,2", "1x2"})
    EXPECT_FALSE(parse_shape(text)) << text;
}

}  // namespace
}  // namespace vyre::cli
