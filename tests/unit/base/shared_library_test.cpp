// SPDX-License-Identifier: MIT OR Apache-2.0
#include "base/shared_library.h"

#include <gtest/gtest.h>

namespace vyre {
namespace {

TEST(SharedLibraryTest, FindsSymbolsThatCanBeCalled) {
  const Result<SharedLibrary> library = SharedLibrary::open("libm.so.6");
  ASSERT_TRUE(library) << library.error().to_string();
  const Result<void*> symbol = library->require("sqrt");
  ASSERT_TRUE(symbol);
  EXPECT_EQ(reinterpret_cast<double (*)(double)>(*symbol)(81.0), 9.0);
  EXPECT_EQ(library->path(), "libm.so.6");
}

TEST(SharedLibraryTest, MissingLibraryIsUnavailableAndNamed) {
  const Result<SharedLibrary> library = SharedLibrary::open("/nowhere/libnothing.so");
  ASSERT_FALSE(library);
  EXPECT_EQ(library.error().kind(), ErrorKind::unavailable);
  EXPECT_EQ(library.error().code(), "library-not-loaded");
  EXPECT_NE(library.error().message().find("/nowhere/libnothing.so"), std::string::npos);
}

TEST(SharedLibraryTest, MissingSymbolIsNullOrAnErrorThatNamesBoth) {
  const Result<SharedLibrary> library = SharedLibrary::open("libm.so.6");
  ASSERT_TRUE(library);
  EXPECT_EQ(library->find("no_such_symbol"), nullptr);
  const Result<void*> symbol = library->require("no_such_symbol");
  ASSERT_FALSE(symbol);
  EXPECT_EQ(symbol.error().message(), "`libm.so.6` has no symbol `no_such_symbol`");
}

TEST(SharedLibraryTest, MovesHandOverTheHandle) {
  Result<SharedLibrary> opened = SharedLibrary::open("libm.so.6");
  ASSERT_TRUE(opened);
  SharedLibrary moved = *std::move(opened);
  EXPECT_NE(moved.find("cos"), nullptr);
  Result<SharedLibrary> other = SharedLibrary::open("libc.so.6");
  ASSERT_TRUE(other);
  moved = *std::move(other);
  EXPECT_EQ(moved.path(), "libc.so.6");
  EXPECT_NE(moved.find("strlen"), nullptr);
}

}  // namespace
}  // namespace vyre
