// SPDX-License-Identifier: MIT OR Apache-2.0
#include "interpreter/subgroup.h"

#include <algorithm>

#include "base/check.h"
#include "ir/eval.h"

namespace vyre::interpreter {
namespace {

using Lanes = std::span<SubgroupLane>;

std::uint64_t combine(Op op, ScalarType type, std::uint64_t a, std::uint64_t b) {
  const std::array<ScalarType, 2> types = {type, type};
  const std::array<std::uint64_t, 2> operands = {a, b};
  return eval(op, type, types, operands);
}

std::uint64_t one_of(ScalarType type) {
  if (type == ScalarType::f32) return 0x3f800000u;
  if (type == ScalarType::f16) return 0x3c00u;
  return 1;
}

void give_all(Lanes lanes, std::uint64_t result) {
  for (SubgroupLane& lane : lanes)
    lane.results[0] = result;
}

/// In the order of the lanes.
void reduce(Lanes lanes, Op op, ScalarType type) {
  std::uint64_t sum = lanes.front().value;
  for (const SubgroupLane& lane : lanes.subspan(1))
    sum = combine(op, type, sum, lane.value);
  give_all(lanes, sum);
}

void scan(Lanes lanes, Op op, ScalarType type, bool inclusive) {
  std::uint64_t sum = op == Op::add ? 0 : one_of(type);
  for (SubgroupLane& lane : lanes) {
    const std::uint64_t before = sum;
    sum = combine(op, type, sum, lane.value);
    lane.results[0] = inclusive ? sum : before;
  }
}

/// Each lane reads the value of lane `from(lane)`; one that is not there gives zero.
template <typename From>
void fetch(Lanes lanes, From&& from) {
  for (SubgroupLane& lane : lanes) {
    const std::uint64_t source = from(lane);
    const auto found = std::find_if(lanes.begin(), lanes.end(),
                                    [&](const SubgroupLane& l) { return l.lane == source; });
    lane.results[0] = found == lanes.end() ? 0 : found->value;
  }
}

void ballot(Lanes lanes) {
  std::array<std::uint64_t, 4> words = {};
  for (const SubgroupLane& lane : lanes)
    if (lane.value != 0) words[lane.lane / 32] |= std::uint64_t{1} << lane.lane % 32;
  for (SubgroupLane& lane : lanes)
    lane.results = words;
}

bool votes(const SubgroupLane& lane) {
  return lane.value != 0;
}

}  // namespace

void run_subgroup(SubgroupOp op, ScalarType type, Lanes lanes) {
  VYRE_CHECK(!lanes.empty());
  switch (op) {
    case SubgroupOp::ballot: return ballot(lanes);
    case SubgroupOp::broadcast:
    case SubgroupOp::shuffle: return fetch(lanes, [](const auto& l) { return l.argument; });
    case SubgroupOp::shuffle_xor:
      return fetch(lanes, [](const auto& l) { return l.lane ^ l.argument; });
    case SubgroupOp::shuffle_up:
      return fetch(lanes, [](const auto& l) { return std::uint64_t{l.lane} - l.argument; });
    case SubgroupOp::shuffle_down:
      return fetch(lanes, [](const auto& l) { return std::uint64_t{l.lane} + l.argument; });
    case SubgroupOp::add: return reduce(lanes, Op::add, type);
    case SubgroupOp::mul: return reduce(lanes, Op::mul, type);
    case SubgroupOp::min: return reduce(lanes, Op::min, type);
    case SubgroupOp::max: return reduce(lanes, Op::max, type);
    case SubgroupOp::bit_and: return reduce(lanes, Op::bit_and, type);
    case SubgroupOp::bit_or: return reduce(lanes, Op::bit_or, type);
    case SubgroupOp::bit_xor: return reduce(lanes, Op::bit_xor, type);
    case SubgroupOp::inclusive_add: return scan(lanes, Op::add, type, true);
    case SubgroupOp::inclusive_mul: return scan(lanes, Op::mul, type, true);
    case SubgroupOp::exclusive_add: return scan(lanes, Op::add, type, false);
    case SubgroupOp::exclusive_mul: return scan(lanes, Op::mul, type, false);
    case SubgroupOp::elect: return give_all(lanes, 0), void(lanes.front().results[0] = 1);
    case SubgroupOp::all: return give_all(lanes, std::all_of(lanes.begin(), lanes.end(), votes));
    case SubgroupOp::any: return give_all(lanes, std::any_of(lanes.begin(), lanes.end(), votes));
  }
  VYRE_UNREACHABLE();
}

}  // namespace vyre::interpreter
