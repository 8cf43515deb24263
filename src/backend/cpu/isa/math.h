// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <bit>
#include <sleef.h>

#include "backend/cpu/kernels.h"
#include "ir/meaning.h"

/// Functions beyond + - * / sqrt, a vector of lanes at a time.  SLEEF's `cinz` family gives the
/// same bits in every width, so these agree with the scalar forms in ir/meaning.h. Compiled once
/// per instruction set, in a namespace of its own: only isa/*.cpp include this.
namespace vyre::cpu::VYRE_CPU_ISA {

#if defined(__SSE2__)

#if defined(__AVX512F__)
using Floats = __m512;
#define VYRE_SLEEF(name) Sleef_cinz_##name##f16_u10avx512fnofma
inline Floats load_floats(const Lane* from) {
  return _mm512_loadu_ps(from);
}
inline void store_floats(Lane* to, Floats x) {
  _mm512_storeu_ps(to, x);
}
/// True if a lane's size is below `low` or above `high`.
inline bool any_outside(Floats x, float low, float high) {
  const Floats size = _mm512_abs_ps(x);
  return (_mm512_cmp_ps_mask(size, _mm512_set1_ps(low), _CMP_LT_OQ) |
          _mm512_cmp_ps_mask(size, _mm512_set1_ps(high), _CMP_GT_OQ)) != 0;
}
#elif defined(__AVX2__)
using Floats = __m256;
#define VYRE_SLEEF(name) Sleef_cinz_##name##f8_u10avx
inline Floats load_floats(const Lane* from) {
  return _mm256_loadu_ps(reinterpret_cast<const float*>(from));
}
inline void store_floats(Lane* to, Floats x) {
  _mm256_storeu_ps(reinterpret_cast<float*>(to), x);
}
/// True if a lane's size is below `low` or above `high`.
inline bool any_outside(Floats x, float low, float high) {
  const Floats size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
  return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps(size, _mm256_set1_ps(low), _CMP_LT_OQ),
                                         _mm256_cmp_ps(size, _mm256_set1_ps(high), _CMP_GT_OQ))) !=
         0;
}
#else
using Floats = __m128;
#define VYRE_SLEEF(name) Sleef_cinz_##name##f4_u10sse2
inline Floats load_floats(const Lane* from) {
  return _mm_loadu_ps(reinterpret_cast<const float*>(from));
}
inline void store_floats(Lane* to, Floats x) {
  _mm_storeu_ps(reinterpret_cast<float*>(to), x);
}
/// True if a lane's size is below `low` or above `high`.
inline bool any_outside(Floats x, float low, float high) {
  const Floats size = _mm_andnot_ps(_mm_set1_ps(-0.0f), x);
  return _mm_movemask_ps(_mm_or_ps(_mm_cmplt_ps(size, _mm_set1_ps(low)),
                                   _mm_cmpgt_ps(size, _mm_set1_ps(high)))) != 0;
}
#endif

inline constexpr std::size_t kFloats = sizeof(Floats) / sizeof(float);

template <auto kFunction>
void vector1(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kFloats)
    store_floats(d + i, kFunction(load_floats(a + i)));
}

template <auto kFunction>
void vector2(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += kFloats)
    store_floats(d + i, kFunction(load_floats(a + i), load_floats(b + i)));
}

/// As `vector1`, but groups with a lane of size < `low` or > `high` go to the scalar form.
template <auto kFunction, float (*kScalar)(float)>
void limited(Lane* d, const Lane* a, std::size_t lanes, float low, float high) {
  for (std::size_t i = 0; i < lanes; i += kFloats) {
    const Floats x = load_floats(a + i);
    if (!any_outside(x, low, high)) {
      store_floats(d + i, kFunction(x));
    } else {
      for (std::size_t k = i; k < i + kFloats; ++k)
        d[k] = std::bit_cast<Lane>(kScalar(std::bit_cast<float>(a[k])));
    }
  }
}

inline void sinh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(sinh), Meaning::sinh>(d, a, lanes, 0, Meaning::kHyperbolicLimit);
}
inline void cosh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(cosh), Meaning::cosh>(d, a, lanes, 0, Meaning::kHyperbolicLimit);
}
inline void tanh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(tanh), Meaning::tanh>(d, a, lanes, Meaning::kIdentityLimit,
                                           Meaning::kAreaLimit);
}
inline void asinh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(asinh), Meaning::asinh>(d, a, lanes, Meaning::kIdentityLimit,
                                             Meaning::kAreaLimit);
}
inline void acosh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(acosh), Meaning::acosh>(d, a, lanes, 0, Meaning::kAreaLimit);
}
inline void atanh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<VYRE_SLEEF(atanh), Meaning::atanh>(d, a, lanes, Meaning::kIdentityLimit,
                                             Meaning::kAreaLimit);
}

struct MathRow {
  Op op;
  Kernel kernel;
};

inline constexpr MathRow kMathRows[] = {
    {Op::exp, vector1<VYRE_SLEEF(exp)>},
    {Op::exp2, vector1<VYRE_SLEEF(exp2)>},
    {Op::log, vector1<VYRE_SLEEF(log)>},
    {Op::log2, vector1<VYRE_SLEEF(log2)>},
    {Op::pow, vector2<VYRE_SLEEF(pow)>},
    {Op::sin, vector1<VYRE_SLEEF(sin)>},
    {Op::cos, vector1<VYRE_SLEEF(cos)>},
    {Op::tan, vector1<VYRE_SLEEF(tan)>},
    {Op::asin, vector1<VYRE_SLEEF(asin)>},
    {Op::acos, vector1<VYRE_SLEEF(acos)>},
    {Op::atan, vector1<VYRE_SLEEF(atan)>},
    {Op::atan2, vector2<VYRE_SLEEF(atan2)>},
    {Op::sinh, sinh},
    {Op::cosh, cosh},
    {Op::tanh, tanh},
    {Op::asinh, asinh},
    {Op::acosh, acosh},
    {Op::atanh, atanh},
};

inline Kernel math_kernel(Op op) {
  for (const MathRow& row : kMathRows)
    if (row.op == op) return row.kernel;
  return nullptr;
}

#else

inline Kernel math_kernel(Op) {
  return nullptr;
}

#endif

}  // namespace vyre::cpu::VYRE_CPU_ISA
