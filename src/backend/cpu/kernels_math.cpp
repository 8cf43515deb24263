// SPDX-License-Identifier: MIT OR Apache-2.0
#include <bit>
#include <sleef.h>

#include "backend/cpu/kernels.h"
#include "ir/meaning.h"

// Functions beyond + - * / sqrt, four lanes at a time.  SLEEF's `cinz` family gives the same bits
// in every width, so these agree with the scalar forms in ir/meaning.h.
namespace vyre::cpu {

#if defined(__SSE2__)

namespace {

template <auto kFunction>
void vector1(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += 4) {
    const __m128 x = _mm_loadu_ps(reinterpret_cast<const float*>(a + i));
    _mm_storeu_ps(reinterpret_cast<float*>(d + i), kFunction(x));
  }
}

template <auto kFunction>
void vector2(Lane* d, const Lane* a, const Lane* b, const Lane*, std::size_t lanes) {
  for (std::size_t i = 0; i < lanes; i += 4) {
    const __m128 x = _mm_loadu_ps(reinterpret_cast<const float*>(a + i));
    const __m128 y = _mm_loadu_ps(reinterpret_cast<const float*>(b + i));
    _mm_storeu_ps(reinterpret_cast<float*>(d + i), kFunction(x, y));
  }
}

/// As `vector1`, but groups with a lane of size ≤ `low` or > `high` go to the scalar form.
template <auto kFunction, float (*kScalar)(float)>
void limited(Lane* d, const Lane* a, std::size_t lanes, float low, float high) {
  const __m128 sign = _mm_set1_ps(-0.0f);
  for (std::size_t i = 0; i < lanes; i += 4) {
    const __m128 x = _mm_loadu_ps(reinterpret_cast<const float*>(a + i));
    const __m128 size = _mm_andnot_ps(sign, x);
    const __m128 outside =
        _mm_or_ps(_mm_cmplt_ps(size, _mm_set1_ps(low)), _mm_cmpgt_ps(size, _mm_set1_ps(high)));
    if (_mm_movemask_ps(outside) == 0) {
      _mm_storeu_ps(reinterpret_cast<float*>(d + i), kFunction(x));
    } else {
      for (std::size_t k = i; k < i + 4; ++k)
        d[k] = std::bit_cast<Lane>(kScalar(std::bit_cast<float>(a[k])));
    }
  }
}

void sinh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_sinhf4_u10sse2, Meaning::sinh>(d, a, lanes, 0, Meaning::kHyperbolicLimit);
}
void cosh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_coshf4_u10sse2, Meaning::cosh>(d, a, lanes, 0, Meaning::kHyperbolicLimit);
}
void tanh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_tanhf4_u10sse2, Meaning::tanh>(d, a, lanes, Meaning::kIdentityLimit,
                                                    Meaning::kAreaLimit);
}
void asinh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_asinhf4_u10sse2, Meaning::asinh>(d, a, lanes, Meaning::kIdentityLimit,
                                                      Meaning::kAreaLimit);
}
void acosh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_acoshf4_u10sse2, Meaning::acosh>(d, a, lanes, 0, Meaning::kAreaLimit);
}
void atanh(Lane* d, const Lane* a, const Lane*, const Lane*, std::size_t lanes) {
  limited<Sleef_cinz_atanhf4_u10sse2, Meaning::atanh>(d, a, lanes, Meaning::kIdentityLimit,
                                                      Meaning::kAreaLimit);
}

struct Row {
  Op op;
  Kernel kernel;
};

constexpr Row kRows[] = {
    {Op::exp, vector1<Sleef_cinz_expf4_u10sse2>},
    {Op::exp2, vector1<Sleef_cinz_exp2f4_u10sse2>},
    {Op::log, vector1<Sleef_cinz_logf4_u10sse2>},
    {Op::log2, vector1<Sleef_cinz_log2f4_u10sse2>},
    {Op::pow, vector2<Sleef_cinz_powf4_u10sse2>},
    {Op::sin, vector1<Sleef_cinz_sinf4_u10sse2>},
    {Op::cos, vector1<Sleef_cinz_cosf4_u10sse2>},
    {Op::tan, vector1<Sleef_cinz_tanf4_u10sse2>},
    {Op::asin, vector1<Sleef_cinz_asinf4_u10sse2>},
    {Op::acos, vector1<Sleef_cinz_acosf4_u10sse2>},
    {Op::atan, vector1<Sleef_cinz_atanf4_u10sse2>},
    {Op::atan2, vector2<Sleef_cinz_atan2f4_u10sse2>},
    {Op::sinh, sinh},
    {Op::cosh, cosh},
    {Op::tanh, tanh},
    {Op::asinh, asinh},
    {Op::acosh, acosh},
    {Op::atanh, atanh},
};

}  // namespace

Kernel math_kernel(Op op) {
  for (const Row& row : kRows)
    if (row.op == op) return row.kernel;
  return nullptr;
}

#else

Kernel math_kernel(Op) {
  return nullptr;
}

#endif

}  // namespace vyre::cpu
