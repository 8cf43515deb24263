// SPDX-License-Identifier: MIT OR Apache-2.0
#include "memory/failing_new.h"

#if defined(VYRE_HAS_WGPU)
#include "backend/wgpu/api.h"

namespace vyre::test {
namespace {

template <auto kRow>
struct Call;
template <typename R, typename... Args, R (*wgpu::Api::*kRow)(Args...)>
struct Call<kRow> {
  static inline R (*original)(Args...) = nullptr;
  static R foreign(Args... args) {
    const Foreign inside;
    return original(args...);
  }
};

template <auto kRow>
void mark(wgpu::Api& table) {
  Call<kRow>::original = table.*kRow;
  table.*kRow = Call<kRow>::foreign;
}

}  // namespace

void mark_foreign_calls() {
  [[maybe_unused]] static const bool kOnce = [] {
    auto& table = const_cast<wgpu::Api&>(wgpu::api());  // it was made on the heap
#define VYRE_MARK(name) mark<&wgpu::Api::name>(table);
    VYRE_WGPU_FUNCTIONS(VYRE_MARK)
#undef VYRE_MARK
    return true;
  }();
}

}  // namespace vyre::test
#else
namespace vyre::test {
void mark_foreign_calls() {}
}  // namespace vyre::test
#endif
