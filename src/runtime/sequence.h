// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vyre/sequence.h"

#include "runtime/compiled.h"
#include "runtime/plan.h"
#include "runtime/pool.h"

/// What stands behind `vyre/sequence.h` in the recorder: steps that are ready to launch.
namespace vyre {

class BufferImpl;
class Recorder;

/// A step, with everything that does not change from replay to replay.  Immutable once made; shared
/// by the sequences and replays that hold it, and gives its blocks back with the last of them.
struct SequenceStep : PlannedJob {
  explicit SequenceStep(std::shared_ptr<Recorder> of) : recorder(std::move(of)) {}
  SequenceStep(const SequenceStep&) = delete;
  SequenceStep& operator=(const SequenceStep&) = delete;
  ~SequenceStep();

  std::shared_ptr<Recorder> recorder;
  DriverBlock* trap = nullptr;  ///< the trap record, if the kernel has one in memory
};

struct SequenceRead {
  std::string name;
  std::shared_ptr<BufferImpl> buffer;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t at = 0;  ///< where its first whole word lies in the readback block
};

/// Steps and reads as one replay has them.  Immutable.
struct RecordedSequence {
  std::vector<std::shared_ptr<const SequenceStep>> steps;
  std::vector<SequenceRead> reads;
  std::vector<std::uint64_t> traps;  ///< by step: where its record lies in the readback block
  std::uint64_t readback = 0;        ///< bytes of that block

  /// Lays the readback block out.
  void lay_out();
};

}  // namespace vyre
