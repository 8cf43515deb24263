// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "vyre/result.h"

/// Assertions on a `Result` that print its error.
#define ASSERT_OK(result) ASSERT_TRUE(result) << (result).error().to_string()
#define EXPECT_OK(result) EXPECT_TRUE(result) << (result).error().to_string()

/// The result is an error of this kind and code, and its text names `word`.
#define EXPECT_REFUSED(result, expected_kind, expected_code, word)                             \
  do {                                                                                         \
    const auto& vyre_refused = (result);                                                       \
    ASSERT_FALSE(vyre_refused);                                                                \
    EXPECT_EQ(vyre_refused.error().kind(), expected_kind) << vyre_refused.error().to_string(); \
    EXPECT_EQ(vyre_refused.error().code(), expected_code) << vyre_refused.error().to_string(); \
    EXPECT_NE(vyre_refused.error().to_string().find(word), std::string::npos)                  \
        << vyre_refused.error().to_string();                                                   \
  } while (false)
