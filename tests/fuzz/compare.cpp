// SPDX-License-Identifier: MIT OR Apache-2.0
#include "fuzz/compare.h"

#include <algorithm>
#include <cstring>
#include <sstream>
#include <vector>

#include "support/numbers.h"

namespace vyre::test {
namespace {

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(4, bytes.size() - at));
  return word;
}

/// Copies NaNs over where both sides have one, so that the bytes can be compared.
class NanEraser {
 public:
  NanEraser(const Program& program, std::span<const std::byte> expected, std::span<std::byte> got)
      : program_(program), expected_(expected), got_(got) {}

  void visit(LayoutId id, std::size_t at, std::uint64_t runtime_count) {
    const Layout& layout = program_[id];
    const std::size_t bytes = info(layout.scalar).bytes;
    switch (layout.kind) {
      case LayoutKind::scalar:
      case LayoutKind::atomic: return leaf(layout.scalar, at);
      case LayoutKind::vector:
        for (std::size_t i = 0; i < layout.width; ++i)
          leaf(layout.scalar, at + i * bytes);
        return;
      case LayoutKind::array:
        for (std::uint64_t i = 0; i < (layout.count != 0 ? layout.count : runtime_count); ++i)
          visit(layout.element, at + i * layout.stride, 0);
        return;
      case LayoutKind::structure:
        for (const Layout::Member& member : layout.members)
          visit(member.layout, at + member.offset, runtime_count);
        return;
    }
  }

 private:
  void leaf(ScalarType type, std::size_t at) {
    if (!is_float(type)) return;
    const std::size_t bytes = info(type).bytes;
    const ScalarType format = bytes == 4 ? ScalarType::f32 : ScalarType::f16;
    const std::uint32_t mask = bytes == 4 ? ~0u : 0xffffu;
    if (is_nan_bits(format, word_at(expected_, at) & mask) &&
        is_nan_bits(format, word_at(got_, at) & mask))
      std::memcpy(got_.data() + at, expected_.data() + at, bytes);
  }

  const Program& program_;
  std::span<const std::byte> expected_;
  std::span<std::byte> got_;
};

std::uint64_t f32_at(std::span<const std::byte> bytes, std::size_t word) {
  return word_at(bytes, 4 * word);
}

bool same_float(std::uint64_t a, std::uint64_t b) {
  return a == b || (is_nan_bits(ScalarType::f32, a) && is_nan_bits(ScalarType::f32, b));
}

/// What is wrong with one probe of one invocation, whose five words start at `at`.
std::string judge(Op op,
                  std::span<const std::byte> expected,
                  std::span<const std::byte> got,
                  std::size_t at,
                  const Numerics& numerics) {
  for (std::size_t i = 0; i < 4; ++i)
    if (!same_float(f32_at(expected, at + i), f32_at(got, at + i))) return "other operands";
  if (f32_at(got, at) == 0) return {};  // not reached
  std::vector<std::uint64_t> operands;
  for (std::size_t i = 0; i < info(op).arity; ++i)
    operands.push_back(f32_at(got, at + 1 + i));
  if (op == Op::ldexp)
    operands[1] = static_cast<std::uint32_t>(static_cast<std::int32_t>(f32_value(operands[1])));
  for (const auto& [name, side] : {std::pair("first", expected), std::pair("second", got)})
    if (!is_within_bound(op, operands, f32_at(side, at + 4), numerics)) {
      std::ostringstream text;
      text << to_string(op) << " on the " << name << " device, operands and result:" << std::hex;
      for (std::size_t i = 1; i < 5; ++i)
        text << " 0x" << f32_at(side, at + i);
      return text.str();
    }
  return {};
}

}  // namespace

std::string difference(const Program& program,
                       const HostBuffer& buffer,
                       std::span<const std::byte> expected,
                       std::span<const std::byte> got) {
  if (expected.size() != got.size())
    return std::to_string(got.size()) + " bytes instead of " + std::to_string(expected.size());
  std::vector<std::byte> tamed(got.begin(), got.end());
  NanEraser(program, expected, tamed).visit(program[buffer.buffer].layout, 0, buffer.count);
  const auto [mine, other] = std::mismatch(expected.begin(), expected.end(), tamed.begin());
  if (mine == expected.end()) return {};
  const auto at = static_cast<std::size_t>(mine - expected.begin());
  std::ostringstream text;
  text << "`" << program[buffer.buffer].name << "` differs at byte " << at << " of "
       << expected.size() << ": the word is 0x" << std::hex << word_at(tamed, at / 4 * 4)
       << " instead of 0x" << word_at(expected, at / 4 * 4);
  return text.str();
}

std::string probe_fault(const FuzzCase& made,
                        std::span<const std::byte> expected,
                        std::span<const std::byte> got,
                        const Numerics& numerics) {
  const std::size_t stride = made.probe_stride;
  for (std::size_t base = 0; base + stride <= expected.size() / 4; base += stride)
    for (const Probe& probe : made.probes) {
      std::string fault = judge(probe.op, expected, got, base + probe.slot, numerics);
      if (!fault.empty()) return fault;
    }
  return {};
}

}  // namespace vyre::test
