// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "vyre/wgsl.h"

#include "unit/wgsl/texts.h"

// Texts that are damaged at random: each becomes a valid program or a list of faults with places,
// and nothing else happens.
namespace vyre::wgsl {
namespace {

constexpr const char* kWhole = R"(
enable f16; requires pointer_composite_access; diagnostic(off, derivative_uniformity);
alias Vec = vec4<f32>;
struct Inner { a: u32, @align(16) b: vec3<f32>, @size(32) c: array<i32, 3>, }
struct Params { a: u32, @align(16) b: vec3<f32>, @align(16) c: array<vec4i, 3> }
struct Outer { head: Inner, total: atomic<u32>, tail: array<Inner>, }
const kTable = array(1u, 2u, 3u, (1u << 4u) | 5);
const kScale: f32 = 0x1.8p1f + 1e-1;
@id(3) override width = 8u;
override bias: f32 = kScale * 2;
@group(0) @binding(0) var<storage, read_write> data: Outer;
@group(0) @binding(1) var<uniform> params: Params;
@group(1) @binding(0) var<storage> source: array<Vec>;
var<workgroup> tile: array<array<f32, 4>, width>;
var<workgroup> count: atomic<i32>;
var<private> state = vec2u(1, 2);
const_assert kTable[1] == 2;
fn pick(v: ptr<function, vec3<f32>>, i: i32) -> f32 {
  if i < 0 { return 0; } else if (i == 1) { (*v).y += 1.0; } else { v.z = f32(i); }
  for (var k = 0; k < 3 && v.x > 0.5; k++) { if k == i { continue; } v[k] *= 0.5; }
  switch i { case 0, 1: { return v.x; } case 2 { break; } default { } }
  loop { let s = (*v).x; if s > 2 { break; } continuing { v.x = s + 1; break if s < 0; } }
  return dot(*v, vec3(1, 2, 3)) + select(0.0, 1.0, any(*v > vec3f()));
}
fn table(i: u32) -> u32 { let local = kTable; return local[i] + kTable[i & 3]; }
@compute @workgroup_size(width, 2)
fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  var v = source[g.x].xyz * bias;
  var parts: array<f32, 4>;
  parts[l & 3] = pick(&v, i32(l));
  tile[l & 7][g.y] = parts[(l + 1) % 4];
  atomicAdd(&count, 1); state.x++;
  workgroupBarrier();
  let r = atomicCompareExchangeWeak(&data.total, 0, state.x);
  while !r.exchanged && v.x < 1 { v.x += 1; }
  if g.x < arrayLength(&data.tail) {
    data.tail[g.x].b = mix(v, params.b, 0.5);
    data.tail[g.x].c[l % 3] = extractBits(i32(table(l)), 1u, 3u) + params.c[0].y;
  }
  _ = frexp(v.x).exp; data.head.a = bitcast<u32>(tile[0][l]) ^ ~state.y;
}
)";

/// A small generator whose sequence is the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<std::size_t>(state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_;
};

std::vector<std::string> tokens_of(const std::string& source) {
  Text text(source);
  std::vector<std::string> tokens;
  for (const Token& token : lex(text.map, text.names, text.faults))
    tokens.emplace_back(text.map.text(token.span));
  return tokens;
}

std::string damaged(std::vector<std::string> tokens, Random& random) {
  for (std::size_t changes = 1 + random.below(3); changes > 0; --changes) {
    const std::size_t at = random.below(tokens.size());
    const std::size_t other = random.below(tokens.size());
    switch (random.below(4)) {
      case 0: tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: tokens[at] = tokens[other]; break;
      case 2: std::swap(tokens[at], tokens[other]); break;
      default: tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens[other]);
    }
  }
  std::string text;
  for (const std::string& token : tokens)
    text += token + (random.below(8) == 0 ? "\n" : " ");
  return text;
}

void expect_told(const std::string& text) {
  const auto program = parse_wgsl(text);
  if (program) return;
  EXPECT_FALSE(program.error().diagnostics().empty()) << text;
  for (const Diagnostic& fault : program.error().diagnostics())
    EXPECT_TRUE(fault.place.known() && !fault.message.empty()) << fault.message << "\n" << text;
}

TEST(Damage, TheWholeTextIsGood) {
  const auto program = parse_wgsl(kWhole);
  ASSERT_TRUE(program.has_value()) << program.error().diagnostics().to_string();
}

TEST(Damage, TokensThatAreLostDoubledOrSwappedAreTold) {
  const std::vector<std::string> tokens = tokens_of(kWhole);
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    expect_told(damaged(tokens, random));
  }
}

TEST(Damage, BytesThatAreLostOrChangedAreTold) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    std::string text = kWhole;
    for (std::size_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      if (random.below(2) == 0) {
        text.erase(at, 1 + random.below(3));
      } else {
        text[at] = static_cast<char>(random.below(256));
      }
    }
    expect_told(text);
  }
}

TEST(Damage, PrefixesAreTold) {
  const std::string text = kWhole;
  for (std::size_t n = 0; n < text.size(); n += 7)
    expect_told(text.substr(0, n));
}

/// Deep nesting of every kind, alone and through calls.
TEST(Damage, DepthIsRefusedOrHandled) {
  const auto repeat = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i)
      text += part;
    return text;
  };
  const auto kernel = [](const std::string& body) {
    return "@group(0) @binding(0) var<storage, read_write> d: array<u32>;\n"
           "@compute @workgroup_size(1) fn main() { var x = d[0]; " +
           body + " d[0] = x; }";
  };
  for (const std::size_t depth : {100U, 1000U, 100000U}) {
    expect_told(kernel(repeat("{", depth) + repeat("}", depth)));
    expect_told(kernel(repeat("if x > 1 {", depth) + repeat("}", depth)));
    expect_told(kernel("x = " + repeat("(", depth) + "x" + repeat(")", depth) + ";"));
    expect_told(kernel("x = " + repeat("d[", depth) + "x" + repeat("]", depth) + ";"));
    expect_told(kernel("x = " + repeat("max(x, ", depth) + "x" + repeat(")", depth) + ";"));
    expect_told(kernel("x = " + repeat("~", depth) + "x;"));
    expect_told(kernel("x = x" + repeat(" + x", depth) + ";"));
    expect_told(kernel("let b = x == 0" + repeat(" && d[x] == 1", depth) + ";"));
    expect_told(kernel("if x == 0 { }" + repeat(" else if d[x] == 1 { x += 1; }", depth / 10)));
    expect_told(kernel("var a: " + repeat("array<", depth) + "u32" + repeat(", 1>", depth) + ";"));
  }
  std::string chain = "fn f0(x: u32) -> u32 { return x; }\n";
  for (int i = 1; i < 2000; ++i)
    chain += "fn f" + std::to_string(i) + "(x: u32) -> u32 { if x > 1 { if x > 2 { return f" +
             std::to_string(i - 1) + "(x); } } return 1; }\n";
  expect_told(chain + kernel("x = f200(x);"));
  expect_told(chain + kernel("x = f1999(x);"));
}

/// Values that are huge, many or copied often.
TEST(Damage, SizeIsRefusedOrHandled) {
  const auto kernel = [](const std::string& module, const std::string& body) {
    return "@group(0) @binding(0) var<storage, read_write> d: array<u32, 0x7fffffff>;\n" + module +
           "\n@compute @workgroup_size(1) fn main() { " + body + " }";
  };
  expect_told(kernel("", "let x = d; d[0] = x[1];"));
  expect_told(kernel("", "var x: array<u32, 0x7fffffff>; d[0] = x[1];"));
  expect_told(kernel("", "var x = array<array<u32, 0x7fffffff>, 0x7fffffff>();"));
  expect_told(kernel("fn f(x: array<u32, 0x7fffffff>) { }", "f(d);"));
  expect_told(kernel("fn f() -> array<vec4u, 0x7fffffff> { return f(); }", "_ = f();"));
  expect_told(kernel("var<private> p: array<u32, 0x7fffffff>;", "d[0] = p[0];"));
  expect_told(kernel("var<workgroup> w: array<u32, 0x7fffffff>;", "w[0] = 1;"));
  std::string constants;
  for (int i = 0; i < 400; ++i)
    constants += "const c" + std::to_string(i) + " = array<u32, 65536>();\nconst_assert c" +
                 std::to_string(i) + "[5] == 0;\n";
  expect_told(kernel(constants, ""));
  std::string copies;
  for (int i = 0; i < 400; ++i)
    copies += "let v" + std::to_string(i) + " = w;\n";
  expect_told(kernel("var<workgroup> w: array<u32, 65536>;", copies));
}

}  // namespace
}  // namespace vyre::wgsl
