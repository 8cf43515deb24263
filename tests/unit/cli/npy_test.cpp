// SPDX-License-Identifier: MIT OR Apache-2.0
#include "cli/npy.h"

#include <string>

#include <gtest/gtest.h>

#include "unit/cli/programs.h"

namespace vyre::cli {
namespace {

using namespace std::string_literals;

std::vector<std::byte> bytes_of_text(const std::string& text) {
  return bytes_of(std::vector<char>(text.begin(), text.end()));
}

/// A file of version 1 with this header, as its format says.
std::string file(const std::string& header, const std::string& data) {
  const auto length = static_cast<char>(header.size());
  return "\x93NUMPY\x01\x00"s + length + "\0"s + header + data;
}

std::string header(const std::string& descr, const std::string& order, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

Result<Npy> parse(const std::string& text) {
  return parse_npy(bytes_of_text(text), "x.npy");
}

std::string fault(const std::string& text) {
  const auto npy = parse(text);
  EXPECT_FALSE(npy) << text;
  return npy ? "" : npy.error().message();
}

TEST(NpyRead, Version1) {
  const auto npy = parse(file(header("<u2", "False", "(2, 1)"), "\x01\x00\x02\x03"s));
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->dtype, "uint16");
  EXPECT_EQ(npy->shape, (std::vector<std::uint64_t>{2, 1}));
  EXPECT_EQ(values_of<std::uint16_t>(npy->data), (std::vector<std::uint16_t>{0x0001, 0x0302}));
}

TEST(NpyRead, Versions2And3HaveALongLength) {
  for (const char version : {'\2', '\3'}) {
    const std::string dictionary = header("|u1", "False", "(3,)");
    const auto npy = parse("\x93NUMPY"s + version + "\0"s + static_cast<char>(dictionary.size()) +
                           "\0\0\0"s + dictionary + "abc");
    ASSERT_TRUE(npy);
    EXPECT_EQ(values_of<char>(npy->data), (std::vector<char>{'a', 'b', 'c'}));
  }
}

TEST(NpyRead, BigEndian) {
  const auto npy = parse(file(header(">f4", "False", "(1,)"), "\x3f\x80\x00\x00"s));
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->dtype, "float32");
  EXPECT_EQ(values_of<float>(npy->data), std::vector<float>{1});
}

TEST(NpyRead, FortranOrder) {
  // [[a, b, c], [d, e, f]] by columns
  const auto npy = parse(file(header("|i1", "True", "(2, 3)"), "adbecf"));
  ASSERT_TRUE(npy);
  EXPECT_EQ(values_of<char>(npy->data), (std::vector<char>{'a', 'b', 'c', 'd', 'e', 'f'}));
}

TEST(NpyRead, FortranOrderOfThreeAxes) {
  // element (i, j, k) of shape (2, 2, 2) is 4i + 2j + k
  const auto npy = parse(file(header("|u1", "True", "(2, 2, 2)"), "\0\4\2\6\1\5\3\7"s));
  ASSERT_TRUE(npy);
  EXPECT_EQ(values_of<std::uint8_t>(npy->data),
            (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(NpyRead, ScalarsAndEmptyArrays) {
  const auto scalar = parse(file(header("|b1", "False", "()"), "\1"));
  ASSERT_TRUE(scalar);
  EXPECT_EQ(scalar->dtype, "bool");
  EXPECT_TRUE(scalar->shape.empty());
  const auto empty = parse(file(header("<f8", "True", "(0, 3)"), ""));
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->data.empty());
}

TEST(NpyRead, KeysInAnyOrderAndEitherQuote) {
  const auto npy =
      parse(file("{\"shape\":(1L,),'fortran_order':False,\"descr\":\"=i4\"}   \n", "\1\0\0\0"s));
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->dtype, "int32");
}

TEST(NpyRead, DtypesThatNoBufferHas) {
  for (const char* descr : {"<c8", "|O", "<U4", "f4", "<f3", ""}) {
    EXPECT_EQ(fault(file(header(descr, "False", "(1,)"), "12345678")),
              "`x.npy` holds elements of dtype '"s + descr + "', which no buffer can have");
  }
}

TEST(NpyRead, SizesThatDoNotFit) {
  EXPECT_EQ(fault(file(header("<u4", "False", "(3,)"), "12345678")),
            "`x.npy` is no .npy file: its shape (3,) of uint32 does not fit its 8 bytes of data");
  EXPECT_EQ(
      fault(file(header("<u4", "False", "(4611686018427387904, 4)"), "")),
      "`x.npy` is no .npy file: its shape (4611686018427387904, 4) of uint32 does not fit its "
      "0 bytes of data");
}

TEST(NpyRead, Garbage) {
  EXPECT_EQ(fault(""), "`x.npy` is no .npy file: it does not start with NumPy's magic bytes");
  EXPECT_EQ(fault("plain text"),
            "`x.npy` is no .npy file: it does not start with NumPy's magic bytes");
  EXPECT_EQ(fault("\x93NUMPY\x01"s), "`x.npy` is no .npy file: it ends within its header");
  EXPECT_EQ(fault("\x93NUMPY\x01\x00\xff\xff{"s + std::string(20, ' ')),
            "`x.npy` is no .npy file: it ends within its header");
  EXPECT_EQ(fault("\x93NUMPY\x04\x00\x02\x00{}........"s),
            "`x.npy` is no .npy file: its version is 4, not 1, 2 or 3");
}

TEST(NpyRead, HeadersThatAreNone) {
  for (const char* text :
       {"{}", "", "{'descr': '<u4'}", "[1]", "{'descr': '<u4', 'fortran_order': 1, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '<u4', 'descr': '<u4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1,), 'more': 1}", "{'descr': '<u4",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1"}) {
    EXPECT_EQ(fault(file(text, "1234")),
              "`x.npy` is no .npy file: its header is not a dictionary of descr, fortran_order and "
              "shape")
        << text;
  }
}

TEST(NpyWrite, IsWhatNumpyWrites) {
  // numpy.save of numpy.zeros((2, 3), numpy.float32), by hand from the format's description.
  const std::uint64_t shape[] = {2, 3};
  const auto bytes = format_npy(ScalarType::f32, shape, std::vector<std::byte>(24));
  ASSERT_EQ(bytes.size(), 128U + 24U);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), 128);
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(text, "\x93NUMPY\x01\x00\x76\x00"s + dictionary +
                      std::string(117 - dictionary.size(), ' ') + "\n");
}

TEST(NpyWrite, ReadsBack) {
  const std::uint64_t shape[] = {3};
  const auto npy =
      parse_npy(format_npy(ScalarType::u8, shape, bytes_of<std::uint8_t>({1, 2, 255})), "x.npy");
  ASSERT_TRUE(npy);
  EXPECT_EQ(npy->dtype, "uint8");
  EXPECT_EQ(npy->shape, std::vector<std::uint64_t>{3});
  EXPECT_EQ(values_of<std::uint8_t>(npy->data), (std::vector<std::uint8_t>{1, 2, 255}));
}

}  // namespace
}  // namespace vyre::cli
