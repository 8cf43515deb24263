// SPDX-License-Identifier: MIT OR Apache-2.0
#include "support/kernels.h"

#include "vyre/wgsl.h"

namespace vyre::test {

Result<ValidProgram> add_kernel() {
  Builder b("add");
  auto x = b.in_out<std::uint32_t>("x");
  auto by = b.uniform<std::uint32_t>("by");
  const Value i = b.global_id();
  x[i] = x[i] + Value(by);
  return b.build();
}

Result<ValidProgram> sum_kernel() {
  Builder b("sum");
  auto x = b.input<std::uint32_t>("x");
  auto sum = b.atomics("sum", Access::output, ScalarType::u32, 1);
  const Value i = b.global_id();
  b.if_(i < x.length(), [&] { sum[0].atomic_add(x[i]); });
  return b.build();
}

Result<ValidProgram> ordered_kernel() {
  Builder b("ordered");
  auto a = b.input<std::uint32_t>("a");
  auto out = b.output<std::uint32_t>("out", 3);
  auto both = b.in_out<std::uint32_t>("b");
  auto c = b.uniform<std::uint32_t>("c");
  const Value i = b.global_id();
  const Value sum = a[i] + Value(c) * 10u + both[i] * 100u;
  out[i] = sum;
  both[i] = sum + 1u;
  return b.build();
}

Result<ValidProgram> busy_kernel() {
  Builder b("busy");
  auto out = b.output<std::uint32_t>("out", 64);
  auto x = b.var(b.global_id());
  b.for_(0u, 3000u, [&](const Value&) { x = x.get() * 1664525u + 1013904223u; });
  b.if_(x.get() == 12345u, [&] { out[b.local_index()] = x.get(); });
  return b.build();
}

Result<ValidProgram> lengths_kernel() {
  return parse_wgsl(R"(
    @group(0) @binding(0) var<storage, read> x: array<array<vec4<u32>, 8192>>;
    @group(0) @binding(1) var<storage, read_write> y: array<array<vec4<u32>, 8192>>;
    @group(0) @binding(2) var<storage, read_write> out: array<u32, 3>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
      y[id.x][7].x = 1u;
      out[0] = arrayLength(&x);
      out[1] = arrayLength(&y);
      out[2] = x[id.x][7].y + 4u;
    })");
}

}  // namespace vyre::test
