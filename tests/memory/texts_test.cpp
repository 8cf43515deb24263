// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

#include "vyre/builder.h"
#include "vyre/emit.h"
#include "vyre/wgsl.h"

#include "memory/every_allocation.h"
#include "support/check_result.h"

// Lack of host memory in what needs no device.
namespace vyre::test {
namespace {

constexpr std::string_view kText = R"(
struct Params { scale: f32, count: u32, rows: array<vec2<f32>, 3> }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
var<workgroup> shared_sums: array<f32, 64>;
override limit = 3u;
const table = array<f32, 4>(1.0, 2.0, 3.0, 4.0);

fn scaled(v: f32, by: f32) -> f32 {
  if (v < 0.0) { return -v * by; }
  return v * by;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) l: u32) {
  let i = id.x;
  shared_sums[l] = x[i] + table[i & 3u];
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < limit; k++) {
    switch (k) {
      case 0u: { sum += shared_sums[l ^ 1u]; }
      case 1u, 2u: { sum = scaled(sum, params.scale); }
      default: { continue; }
    }
  }
  y[i] = sum + params.rows[l % 3u].y;
}
)";

constexpr std::string_view kFaulty = R"(
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
fn helper(a: u32) -> f32 { return a + nothing; }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let wrong = 1 + true;
  y[id.x] = helper(1.5);
}
)";

class TextsWithoutMemory : public testing::Test {
 protected:
  void SetUp() override { own_other_threads(true); }
};

TEST_F(TextsWithoutMemory, AreParsedOrSayThatItLacks) {
  const Hash right = parse_wgsl(kText)->hash();
  at_every_allocation([&] {
    const auto program = parse_wgsl(kText);
    if (program) {
      EXPECT_EQ(program->hash(), right);
    }
    return outcome(program);
  });
}

TEST_F(TextsWithoutMemory, KeepTheirFaultsOrSayThatItLacks) {
  const std::size_t faults = parse_wgsl(kFaulty).error().diagnostics().size();
  at_every_allocation([&]() -> Outcome {
    const auto program = parse_wgsl(kFaulty);
    if (program.error().kind() != ErrorKind::compile_failed) return program.error();
    EXPECT_EQ(program.error().diagnostics().size(), faults);
    return {};
  });
}

TEST_F(TextsWithoutMemory, TellTheirEntryPointsOrThatItLacks) {
  const std::vector<Source> sources = {{"kernel.wgsl", std::string(kText)}};
  at_every_allocation([&] { return sources; },
                      [](std::vector<Source>& given) {
                        const auto names = wgsl_entry_points(std::move(given));
                        if (names) {
                          EXPECT_EQ(names->size(), 1u);
                        }
                        return outcome(names);
                      },
                      [](const auto&, bool) {});
}

TEST_F(TextsWithoutMemory, AreEmittedOrSayThatItLacks) {
  const auto program = parse_wgsl(kText);
  ASSERT_OK(program);
  for (const std::string_view target : {"ir", "wgsl", "a target that there is none of"}) {
    const auto right = emit(*program, target);
    at_every_allocation([&]() -> Outcome {
      const auto text = emit(*program, target);
      if (text) {
        EXPECT_EQ(*text, *right);
      }
      if (!text && text.error().kind() == ErrorKind::invalid_argument) return {};
      return outcome(text);
    });
  }
}

TEST_F(TextsWithoutMemory, OfErrorsAreShort) {
  const auto program = parse_wgsl(kFaulty);
  ASSERT_FALSE(program);
  const Error& faults = program.error();
  const std::string right = faults.to_string();
  at_every_allocation([&]() -> Outcome {
    const std::string text = faults.to_string();
    if (text == right) return {};
    EXPECT_EQ(text, "out of memory");
    return Error::host_memory();
  });
}

/// To make, copy and annotate errors needs memory, and yet never fails.
TEST_F(TextsWithoutMemory, AreNoReasonForAnErrorToFail) {
  at_every_allocation([&] { return std::string(100, 'x'); },
                      [](std::string& message) -> Outcome {
                        Error error(ErrorKind::io, "cannot-open", std::move(message));
                        const Error copy = error;
                        error = std::move(error).with("reading");
                        EXPECT_TRUE(copy.context().empty());
                        if (copy.kind() == ErrorKind::io) return {};
                        return copy;
                      },
                      [](const auto&, bool) {});
}

TEST_F(TextsWithoutMemory, OfProgramsAreEmptyOrShort) {
  const auto program = parse_wgsl(kText);
  ASSERT_OK(program);
  const std::string text = dump(program->program());
  const auto bytes = encode(program->program());
  const std::string name = to_string(program->hash());
  at_every_allocation([&]() -> Outcome {
    const bool dumped = dump(program->program()) == text;
    const bool encoded = encode(program->program()) == bytes;
    const bool hashed = hash(program->program()) == program->hash();
    const bool named = to_string(program->hash()) == name;
    if (dumped && encoded && hashed && named) return {};
    return Error::host_memory();
  });
  at_every_allocation([&]() -> Outcome {
    return emit_targets().empty() ? Outcome(Error::host_memory()) : Outcome();
  });
}

TEST_F(TextsWithoutMemory, AreValidatedOrSayThatItLacks) {
  const auto program = parse_wgsl(kText);
  ASSERT_OK(program);
  at_every_allocation([&] { return program->program(); },
                      [&](Program& given) {
                        const auto valid = validate(std::move(given));
                        if (valid) {
                          EXPECT_EQ(valid->hash(), program->hash());
                        }
                        return outcome(valid);
                      },
                      [](const auto&, bool) {});
}

// ------------------------------------------------------------------------------- a real lack

enum Ending : int { parsed = 0, lacked = 1, otherwise = 2 };

/// How `parse_wgsl` ends in a process whose address space has so many bytes.
int ending_under_limit(const std::string& text, rlim_t bytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    const Foreign uncounted;
    const rlimit limit = {bytes, bytes};
    if (::setrlimit(RLIMIT_AS, &limit) != 0) ::_exit(otherwise);
    const auto program = parse_wgsl(text);
    if (program) ::_exit(parsed);
    ::_exit(program.error().code() == "host-memory" ? lacked : otherwise);
  }
  int status = 0;
  if (::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return otherwise;
  return WEXITSTATUS(status);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they map all addresses
TEST_F(TextsWithoutMemory, OfManyLinesSayThatItLacks) {
  std::string text =
      "@group(0) @binding(0) var<storage, read_write> y: array<u32>;\n"
      "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {\n";
  for (int line = 0; line < 100000; ++line)
    text += "  y[id.x] = y[id.x] * 3u + 1u;\n";
  text += "}\n";
  for (const std::uint64_t megabytes : {64u, 100u, 150u})
    EXPECT_NE(ending_under_limit(text, megabytes << 20), otherwise) << megabytes;
  EXPECT_EQ(ending_under_limit(text, std::uint64_t{100} << 20), lacked);
}
#endif

// ------------------------------------------------------------------------------- the C++ builder

/// Something of everything that a builder offers.  The lambdas hold one pointer: to hold more may
/// need memory of the caller's own.
struct Everything {
  explicit Everything(Builder& builder) : b(builder) {}

  Builder& b;
  Memory x = b.input<float>("a long name for an input");
  Memory y = b.output<float>("a long name for an output");
  Memory sums = b.atomics("sums that are atomic", Access::in_out, ScalarType::u32, 4);
  Memory scale = b.uniform<float>("a scale");
  Memory tile = b.workgroup<float>("a tile", 64);
  Memory own = b.local<float>("own", 8);
  Memory table = b.constant("a table", ScalarType::u32, {1, 2, 3, 4});
  Memory pairs =
      b.structure("pairs of values",
                  Space::storage,
                  Access::in_out,
                  {{"head", ScalarType::f32, 1, 1, false}, {"tail", ScalarType::f32, 2, 0, false}});
  Value i = b.global_id();
  Variable sum = b.var(0.0f);

  void write() {
    y.same_length_as(x).at(0, 7);
    b.if_(
        i < y.length(), [this] { body(); }, [this] { b.return_(); });
    sums[i % 4u].atomic_add(table[i % 4u]);
    (void)sums[0].atomic_compare_exchange(1u, 2u);
    sums[1].atomic_store(sums[2].atomic_load());
    pairs.member("tail")[i][0] = pairs.member("head");
    pairs.member("tail")[i].store_many(pairs.member("tail")[i + 1u].load_many(2));
    b.assert_(i < 1000000u, "an assertion with a text", i);
  }
  void body() {
    tile[b.local_index()] = x[i];
    own[i % 8u] = ops::sqrt(convert<float>(i)) + bitcast<float>(i);
    b.for_(0u, 4u, [this](const Value& k) { sum += own[k] * scale; });
    b.while_([this] { return sum > 100.0f; }, [this] { sum *= 0.5f; });
    b.switch_(i, {{{1, 2}, [this] { sum = 1.0f; }}}, [this] { sum = -b.let(sum); });
    b.scope([this](BlockId out) { b.if_(i == 3u, [this, out] { b.leave(out); }); });
    b.loop([this] { b.break_(); });
    y[i] = sum;
  }
};

TEST_F(TextsWithoutMemory, OfTheBuilderGiveProgramsOrSayThatItLacks) {
  const auto written = [](Outcome* given) -> Result<ValidProgram> {
    Builder b("everything", {.workgroup = 64});
    Everything(b).write();
    auto program = b.build();
    *given = outcome(program);
    return program;
  };
  Outcome none;
  const auto right = written(&none);
  ASSERT_OK(right);
  at_every_allocation([&]() -> Outcome {
    // What the test allocates itself (names, lists) may throw in its own code.
    try {
      Outcome given;
      const auto program = written(&given);
      if (program) {
        EXPECT_EQ(program->hash(), right->hash());
      }
      return given;
    } catch (const std::bad_alloc&) {
      return Error::host_memory();
    }
  });
}

/// A call of the builder itself throws nothing, whatever lacks: here nothing else allocates.
TEST_F(TextsWithoutMemory, OfTheBuilderThrowNothing) {
  at_every_allocation([&]() -> Outcome {
    Builder b("small", {.workgroup = 64});
    Memory x = b.in_out<float>("x");
    const Value i = b.global_id();
    const Element at = x[i];
    const Element copy = at;
    copy = at + 1.0f;
    b.if_(i < 4u, [&copy] { copy = 2.0f; });
    const Variable sum = b.var(copy);
    sum += 2.0f;
    x[i + 1u] = sum;
    const auto program = b.build();
    if (program) {
      EXPECT_EQ(program->program().buffers.size(), 1u);
    }
    return outcome(program);
  });
  at_every_allocation([&]() -> Outcome {
    Builder b("small", {.workgroup = 64});
    Memory x = b.in_out<float>("x");
    x[b.global_id()] = 1.0f;
    return b.finish().buffers.empty() ? Outcome(Error::host_memory()) : Outcome();
  });
}

}  // namespace
}  // namespace vyre::test
