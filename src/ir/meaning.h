// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <sleef.h>
#include <type_traits>

#include "base/half.h"

/// What every operator means: one function a row of ops.def, under the row's name, for every C++
/// type that stands for an allowed operand type.
///
/// `eval` and the loops of the CPU machine call these functions and nothing else, so folding and
/// running cannot disagree.  They are defined for all operands, keep to IEEE binary32 with each
/// operation rounded by itself, and are free of branches where loops over them should vectorise.
/// Files that include this are compiled with -ffp-contract=off.  Functions that need maths beyond
/// + - * / sqrt use SLEEF's `cinz` family, whose bits are the same on every host.
namespace vyre {

template <typename T>
concept MeaningInteger = std::integral<T> && !std::same_as<T, bool>;

/// The wanted type of a conversion.
template <typename T>
struct To {};

struct Meaning {
  // ---- arithmetic
  template <typename T>
  static T neg(T x) {
    if constexpr (std::floating_point<T>)
      return -x;
    else
      return signed_as<T>(unsigned_of<T>{0} - bits(x));
  }
  template <typename T>
  static T add(T x, T y) {
    if constexpr (std::floating_point<T>)
      return x + y;
    else
      return signed_as<T>(bits(x) + bits(y));
  }
  template <typename T>
  static T sub(T x, T y) {
    if constexpr (std::floating_point<T>)
      return x - y;
    else
      return signed_as<T>(bits(x) - bits(y));
  }
  template <typename T>
  static T mul(T x, T y) {
    if constexpr (std::floating_point<T>)
      return x * y;
    else
      return signed_as<T>(bits(x) * bits(y));
  }
  template <typename T>
  static T div(T x, T y) {
    if constexpr (std::floating_point<T>)
      return x / y;
    else
      return x / safe_divisor(x, y);
  }
  template <typename T>
  static T rem(T x, T y) {
    if constexpr (std::floating_point<T>)
      return x - y * trunc(x / y);
    else
      return x % safe_divisor(x, y);
  }
  template <typename T>
  static T abs(T x) {
    if constexpr (std::floating_point<T>)
      return signed_as<T>(bits(x) & ~kSignBit<T>);
    else
      return x < T{0} ? neg(x) : x;
  }
  template <typename T>
  static T sign(T x) {
    return static_cast<T>(static_cast<T>(x > T{0}) - static_cast<T>(x < T{0}));
  }
  template <typename T>
  static T min(T x, T y) {
    if constexpr (std::floating_point<T>) {
      const T lesser = x < y ? x : y;
      const T with_zeros = x == y ? signed_as<T>(bits(x) | bits(y)) : lesser;
      return y != y ? x : with_zeros;
    } else {
      return x < y ? x : y;
    }
  }
  template <typename T>
  static T max(T x, T y) {
    if constexpr (std::floating_point<T>) {
      const T greater = x > y ? x : y;
      const T with_zeros = x == y ? signed_as<T>(bits(x) & bits(y)) : greater;
      return y != y ? x : with_zeros;
    } else {
      return x > y ? x : y;
    }
  }
  template <typename T>
  static T clamp(T x, T low, T high) {
    return min(max(x, low), high);
  }

  // ---- bits
  template <MeaningInteger T>
  static T bit_not(T x) {
    return static_cast<T>(~x);
  }
  template <MeaningInteger T>
  static T bit_and(T x, T y) {
    return x & y;
  }
  template <MeaningInteger T>
  static T bit_or(T x, T y) {
    return x | y;
  }
  template <MeaningInteger T>
  static T bit_xor(T x, T y) {
    return x ^ y;
  }
  template <MeaningInteger T>
  static T shl(T x, std::uint32_t count) {
    return signed_as<T>(bits(x) << (count & (kWidth<T> - 1)));
  }
  template <MeaningInteger T>
  static T shr(T x, std::uint32_t count) {
    return x >> (count & (kWidth<T> - 1));
  }
  template <MeaningInteger T>
  static T rotl(T x, std::uint32_t count) {
    const std::uint32_t left = count & (kWidth<T> - 1);
    const std::uint32_t right = (kWidth<T> - left) & (kWidth<T> - 1);
    return signed_as<T>(bits(x) << left | bits(x) >> right);
  }
  template <MeaningInteger T>
  static T rotr(T x, std::uint32_t count) {
    return rotl(x, kWidth<T> - (count & (kWidth<T> - 1)));
  }
  template <MeaningInteger T>
  static T popcount(T x) {
    auto v = bits(x);
    v -= v >> 1 & kOdd<T>;
    v = (v & kPairs<T>)+(v >> 2 & kPairs<T>);
    v = (v + (v >> 4)) & kNibbles<T>;
    return signed_as<T>((v * kBytes<T>) >> (kWidth<T> - 8));
  }
  template <MeaningInteger T>
  static T clz(T x) {
    auto v = bits(x);
    for (std::uint32_t shift = 1; shift < kWidth<T>; shift *= 2)
      v |= v >> shift;
    return popcount(signed_as<T>(~v));
  }
  template <MeaningInteger T>
  static T ctz(T x) {
    return popcount(signed_as<T>(~bits(x) & (bits(x) - 1)));
  }
  template <MeaningInteger T>
  static T reverse_bits(T x) {
    auto v = bits(x);
    v = (v >> 1 & kOdd<T>) | (v & kOdd<T>) << 1;
    v = (v >> 2 & kPairs<T>) | (v & kPairs<T>) << 2;
    v = (v >> 4 & kNibbles<T>) | (v & kNibbles<T>) << 4;
    v = (v >> 8 & kBytePairs<T>) | (v & kBytePairs<T>) << 8;
    if constexpr (kWidth<T> == 64) v = (v >> 16 & kHalves<T>) | (v & kHalves<T>) << 16;
    return signed_as<T>(v >> kWidth<T> / 2 | v << kWidth<T> / 2);
  }
  template <MeaningInteger T>
  static T first_leading_bit(T x) {
    if constexpr (std::signed_integral<T>) x ^= x >> (kWidth<T> - 1);
    return static_cast<T>(kWidth<T> - 1) - clz(x);
  }
  template <MeaningInteger T>
  static T first_trailing_bit(T x) {
    return x == T{0} ? static_cast<T>(~T{0}) : ctz(x);
  }
  template <MeaningInteger T>
  static T extract_bits(T x, std::uint32_t offset, std::uint32_t count) {
    const std::uint32_t from = min(offset, kWidth<T>);
    const std::uint32_t length = min(count, kWidth<T> - from);
    const T top = shl(x, kWidth<T> - from - length);
    return length == 0 ? T{0} : shr(top, kWidth<T> - length);
  }
  template <MeaningInteger T>
  static T mul_high(T x, T y) {
    using Wide = std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>;
    return static_cast<T>(static_cast<Wide>(x) * static_cast<Wide>(y) >> 32);
  }

  // ---- logic
  static bool logical_not(bool x) { return !x; }
  static bool logical_and(bool x, bool y) { return x & y; }
  static bool logical_or(bool x, bool y) { return x | y; }
  template <typename T>
  static bool eq(T x, T y) {
    return x == y;
  }
  template <typename T>
  static bool ne(T x, T y) {
    return x != y;
  }
  template <typename T>
  static bool lt(T x, T y) {
    return x < y;
  }
  template <typename T>
  static bool le(T x, T y) {
    return x <= y;
  }
  template <typename T>
  static bool gt(T x, T y) {
    return x > y;
  }
  template <typename T>
  static bool ge(T x, T y) {
    return x >= y;
  }
  template <typename T>
  static T select(bool condition, T when_true, T when_false) {
    return condition ? when_true : when_false;
  }

  // ---- conversions
  template <typename R, typename T>
  static R convert(T x, To<R>) {
    if constexpr (std::same_as<R, bool>)
      return x != T{0};
    else if constexpr (std::floating_point<T> && std::integral<R>)
      return float_to_integer<R>(x);
    else if constexpr (std::same_as<T, std::uint32_t> && std::same_as<R, float>)
      return to_float(x);
    else
      return static_cast<R>(x);
  }
  template <typename R, typename T>
  static R bitcast(T x, To<R>) {
    return std::bit_cast<R>(x);
  }
  static float half_to_float(std::uint32_t x) {
    return vyre::half_to_float(static_cast<std::uint16_t>(x));
  }
  static std::uint32_t float_to_half(float x) { return vyre::float_to_half(x); }

  // ---- floats
  static bool is_nan(float x) { return (bits(x) & 0x7fffffffu) > 0x7f800000u; }
  static bool is_inf(float x) { return (bits(x) & 0x7fffffffu) == 0x7f800000u; }
  static float fma(float x, float y, float z) {
    // The product is exact in double; rounding the sum to odd keeps what the last rounding needs.
    const double product = static_cast<double>(x) * static_cast<double>(y);
    const double addend = static_cast<double>(z);
    const double sum = product + addend;
    const double part = sum - product;
    const double error = (product - (sum - part)) + (addend - part);
    const auto pattern = std::bit_cast<std::uint64_t>(sum);
    const bool inexact = (error < 0) | (error > 0);
    const std::uint64_t odd = (error > 0) == (sum > 0) ? pattern | 1 : pattern - (~pattern & 1);
    return static_cast<float>(std::bit_cast<double>(inexact ? odd : pattern));
  }
  static float sqrt(float x) { return std::sqrt(x); }
  static float inverse_sqrt(float x) {
    return static_cast<float>(1.0 / std::sqrt(static_cast<double>(x)));
  }
  static float floor(float x) {
    const float near = to_integral(x);
    return small(x) ? with_sign(near > x ? near - 1.0f : near, x) : x;
  }
  static float ceil(float x) {
    const float near = to_integral(x);
    return small(x) ? with_sign(near < x ? near + 1.0f : near, x) : x;
  }
  static float trunc(float x) {
    const float size = abs(x);
    const float near = to_integral(size);
    return small(x) ? with_sign(near > size ? near - 1.0f : near, x) : x;
  }
  static float round(float x) { return small(x) ? to_integral(x) : x; }
  static float fract(float x) { return x - floor(x); }
  static float exp(float x) { return Sleef_cinz_expf1_u10purec(x); }
  static float exp2(float x) { return Sleef_cinz_exp2f1_u10purec(x); }
  static float log(float x) { return Sleef_cinz_logf1_u10purec(x); }
  static float log2(float x) { return Sleef_cinz_log2f1_u10purec(x); }
  static float pow(float x, float y) { return Sleef_cinz_powf1_u10purec(x, y); }
  static float sin(float x) { return Sleef_cinz_sinf1_u10purec(x); }
  static float cos(float x) { return Sleef_cinz_cosf1_u10purec(x); }
  static float tan(float x) { return Sleef_cinz_tanf1_u10purec(x); }
  static float asin(float x) { return Sleef_cinz_asinf1_u10purec(x); }
  static float acos(float x) { return Sleef_cinz_acosf1_u10purec(x); }
  static float atan(float x) { return Sleef_cinz_atanf1_u10purec(x); }
  static float atan2(float y, float x) { return Sleef_cinz_atan2f1_u10purec(y, x); }
  // Near 0 three of these are the identity, and SLEEF is one ulp and a little off; four of them
  // overflow early in SLEEF, and doubles take over beyond the limits.
  static constexpr float kIdentityLimit = 0x1p-12f;
  static constexpr float kHyperbolicLimit = 80.0f;
  static constexpr float kAreaLimit = 0x1p60f;
  static float sinh(float x) {
    if (!(abs(x) > kHyperbolicLimit)) return Sleef_cinz_sinhf1_u10purec(x);
    return with_sign(half_exp(abs(x)), x);
  }
  static float cosh(float x) {
    return abs(x) > kHyperbolicLimit ? half_exp(abs(x)) : Sleef_cinz_coshf1_u10purec(x);
  }
  static float tanh(float x) { return abs(x) < kIdentityLimit ? x : Sleef_cinz_tanhf1_u10purec(x); }
  static float asinh(float x) {
    if (abs(x) < kIdentityLimit) return x;
    if (!(abs(x) > kAreaLimit)) return Sleef_cinz_asinhf1_u10purec(x);
    return with_sign(log_of_twice(abs(x)), x);
  }
  static float acosh(float x) {
    return x > kAreaLimit ? log_of_twice(x) : Sleef_cinz_acoshf1_u10purec(x);
  }
  static float atanh(float x) {
    return abs(x) < kIdentityLimit ? x : Sleef_cinz_atanhf1_u10purec(x);
  }
  static float ldexp(float x, std::int32_t exponent) {
    // In double the product is exact, so there is one rounding, also to a subnormal.
    const std::int32_t clamped = clamp(exponent, -300, 300);
    const auto power = static_cast<std::uint64_t>(static_cast<std::uint32_t>(clamped + 1023)) << 52;
    return static_cast<float>(static_cast<double>(x) * std::bit_cast<double>(power));
  }
  static float degrees(float x) { return x * 57.29578f; }
  static float radians(float x) { return x * 0.017453292f; }
  static float saturate(float x) { return clamp(x, 0.0f, 1.0f); }
  static float step(float edge, float x) { return edge <= x ? 1.0f : 0.0f; }
  static float mix(float x, float y, float a) { return x * (1.0f - a) + y * a; }
  static float smoothstep(float low, float high, float x) {
    const float t = saturate((x - low) / (high - low));
    return t * t * (3.0f - 2.0f * t);
  }

 private:
  template <typename T>
  static constexpr std::uint32_t kWidth = sizeof(T) * 8;
  template <typename T>
  using unsigned_of = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  /// `pattern` repeated over the width of T.
  template <typename T>
  static constexpr unsigned_of<T> repeated(std::uint64_t pattern) {
    return static_cast<unsigned_of<T>>(pattern);
  }
  template <typename T>
  static constexpr auto kSignBit = unsigned_of<T>{1} << (kWidth<T> - 1);
  template <typename T>
  static constexpr auto kOdd = repeated<T>(0x5555555555555555u);
  template <typename T>
  static constexpr auto kPairs = repeated<T>(0x3333333333333333u);
  template <typename T>
  static constexpr auto kNibbles = repeated<T>(0x0f0f0f0f0f0f0f0fu);
  template <typename T>
  static constexpr auto kBytePairs = repeated<T>(0x00ff00ff00ff00ffu);
  template <typename T>
  static constexpr auto kHalves = repeated<T>(0x0000ffff0000ffffu);
  template <typename T>
  static constexpr auto kBytes = repeated<T>(0x0101010101010101u);

  template <typename T>
  static unsigned_of<T> bits(T x) {
    return std::bit_cast<unsigned_of<T>>(x);
  }
  template <typename T>
  static T signed_as(unsigned_of<T> x) {
    return std::bit_cast<T>(x);
  }

  /// 1 where dividing would fault: x / 1 is x and x % 1 is 0, as the language wants.
  template <typename T>
  static T safe_divisor(T x, T y) {
    bool unsafe = y == T{0};
    if constexpr (std::signed_integral<T>)
      unsafe |= (x == std::numeric_limits<T>::min()) & (y == T{-1});
    return unsafe ? T{1} : y;
  }

  /// Below 2^23 in size; larger floats are integral, infinite or NaN.
  static bool small(float x) { return abs(x) < 0x1p23f; }
  static float with_sign(float size, float sign) {
    return signed_as<float>((bits(size) & ~kSignBit<float>) | (bits(sign) & kSignBit<float>));
  }
  /// To the nearest integral value, halves to even, keeping the sign.  REQUIRES: small(x).
  static float to_integral(float x) { return with_sign((abs(x) + 0x1p23f) - 0x1p23f, x); }

  /// One rounding: both parts are exact.
  static float to_float(std::uint32_t x) {
    return static_cast<float>(static_cast<std::int32_t>(x >> 16)) * 65536.0f +
           static_cast<float>(static_cast<std::int32_t>(x & 0xffffu));
  }
  template <typename R>
  static R float_to_integer(float x) {
    // The greatest float below 2^digits: those bits that R has beyond a float's 24 are zeros.
    constexpr int kSpare = std::numeric_limits<R>::digits - 24;
    constexpr auto kTop = static_cast<R>(std::numeric_limits<R>::max() >> kSpare << kSpare);
    constexpr auto kLow = static_cast<float>(std::numeric_limits<R>::min());
    const float number = x == x ? x : 0.0f;
    const float above = number < kLow ? kLow : number;
    const float inside = above > static_cast<float>(kTop) ? static_cast<float>(kTop) : above;
    if constexpr (std::same_as<R, std::uint32_t>) {
      const bool upper = inside >= 0x1p31f;
      const auto rest = static_cast<std::int32_t>(inside - (upper ? 0x1p31f : 0.0f));
      return static_cast<std::uint32_t>(rest) + (upper ? 0x80000000u : 0u);
    } else {
      return static_cast<R>(inside);
    }
  }

  static float half_exp(float x) {
    return static_cast<float>(0.5 * Sleef_cinz_expd1_u10purec(static_cast<double>(x)));
  }
  static float log_of_twice(float x) {
    return static_cast<float>(Sleef_cinz_logd1_u10purec(static_cast<double>(x) * 2.0));
  }
};

}  // namespace vyre
