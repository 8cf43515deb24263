// SPDX-License-Identifier: MIT OR Apache-2.0
#include <string>

#include <gtest/gtest.h>

#include "fuzz/compare.h"
#include "fuzz/runner.h"
#include "ir/layout.h"
#include "support/devices.h"

// A program means the same on every device as on the CPU.
namespace vyre::test {
namespace {

bool is_supplied(const BufferDecl& buffer) {
  return buffer.space == Space::uniform || buffer.access == Access::input ||
         buffer.access == Access::in_out;
}

Result<Outputs> run(const Device& device,
                    const ValidProgram& program,
                    const FuzzCase& made,
                    bool strict) {
  std::vector<Input> inputs;
  DispatchOptions options;
  options.strict_float = strict;
  options.grid = made.inputs.grid;
  for (const HostBuffer& host : made.inputs.buffers) {
    const BufferDecl& buffer = program.program()[host.buffer];
    if (is_supplied(buffer))
      inputs.emplace_back(buffer.name, std::span<const std::byte>(host.bytes));
    else if (runtime_array(program.program(), buffer))
      options.counts.emplace_back(buffer.name, host.count);
  }
  return device.dispatch(program, inputs, options);
}

std::string compare(const FuzzCase& made,
                    const Outputs& expected,
                    const Outputs& got,
                    const Numerics& numerics) {
  for (const HostBuffer& host : made.inputs.buffers) {
    const std::string& name = made.program[host.buffer].name;
    if (!expected.contains(name)) continue;
    std::string fault = host.buffer == made.probe_buffer
                            ? probe_fault(made, expected.bytes(name), got.bytes(name), numerics)
                            : difference(made.program, host, expected.bytes(name), got.bytes(name));
    if (!fault.empty()) return fault;
  }
  return {};
}

bool is_trapped(const Result<Outputs>& result) {
  return !result && result.error().kind() == ErrorKind::trapped;
}

std::string check(const Device& cpu, const Device& other, const FuzzCase& made, bool strict) {
  const auto valid = validate(made.program);
  if (!valid) return valid.error().to_string();
  const auto expected = run(cpu, *valid, made, strict);
  const auto got = run(other, *valid, made, strict);
  if (is_trapped(expected) && is_trapped(got)) return {};  // then nothing is handed out
  if (!expected) return "on the cpu: " + expected.error().to_string();
  if (!got) return "on the device: " + got.error().to_string();
  return compare(made, *expected, *got, numerics_of(other.info()));
}

class DeviceFuzz : public DeviceTest {
 protected:
  /// `strict`: f32 + - * are exact on every device and feed other operations.
  void fuzz(std::uint64_t first_seed, std::uint64_t programs, bool strict) const {
    const auto cpu = open("cpu");
    ASSERT_TRUE(cpu);
    FuzzRun settings = {.first_seed = first_seed, .programs = programs};
    settings.options.float_arithmetic = strict || device().info().float_exact;
    settings.options.flush = !device().info().keeps_subnormals;
    settings.options.plain_zeros = strict && !device().info().float_exact;
    settings.options.wide = device().info().has(Capability::int64);
    settings.options.statements = 16;
    settings.options.nesting = 40;
    settings.shrink_budget = is_cpu() ? 5000 : 300;
    run_programs(settings,
                 [&](const FuzzCase& made) { return check(*cpu, device(), made, strict); });
  }
};

TEST_P(DeviceFuzz, GivesWhatTheCpuGives) {
  fuzz(1, scaled(200), false);
}
TEST_P(DeviceFuzz, GivesWhatTheCpuGivesWithStrictFloats) {
  fuzz(5001, scaled(100), true);
}
INSTANTIATE_ON_DEVICES(DeviceFuzz);

class LongDeviceFuzz : public DeviceFuzz {};
TEST_P(LongDeviceFuzz, GivesWhatTheCpuGives) {
  fuzz(2000000, scaled(2000), false);
}
TEST_P(LongDeviceFuzz, GivesWhatTheCpuGivesWithStrictFloats) {
  fuzz(3000000, scaled(1000), true);
}
INSTANTIATE_ON_DEVICES(LongDeviceFuzz);

}  // namespace
}  // namespace vyre::test
