// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/blob_cache.h"
#include "runtime/binding_cache.h"
#include "runtime/driver.h"
#include "runtime/launch_cache.h"
#include "runtime/plan.h"
#include "runtime/pool.h"

/// A program compiled for one device, with everything about its dispatches that does not depend on
/// the call: which buffer is bound where, and where its bytes come from.  Immutable but for its
/// caches; shared by the jobs that run it.
namespace vyre {

/// Where the bytes behind one binding of the lowered program come from.
enum class SlotSource : std::uint8_t {
  host,       ///< a buffer of the valid program
  constants,  ///< words that are part of the program
  trap,       ///< the trap record
  launch,     ///< the launch block, if the driver does not pass words
};

/// One binding of the lowered program.
struct Slot {
  SlotSource source = SlotSource::host;
  std::uint32_t binding = 0;  ///< host: index into `Plan::bindings`
  BufferId buffer = kNone<BufferId>;
  Space space = Space::storage;
  Access access = Access::input;
  std::uint64_t minimum = 4;  ///< bytes that must be bound at least
  bool covered = false;       ///< the program writes every element of it, see `covers`
};

/// A kernel of the driver with the slots of its lowered program, for one shape of grid.
struct Variant {
  std::unique_ptr<DriverKernel> kernel;
  Fold fold = Fold::none;
  std::uint32_t fold_width = 0;  ///< workgroups on one axis of a launch at most; 0: any
  std::vector<Slot> slots;
  std::vector<LaunchWord> launch;  ///< the words that the kernel reads, in order
  std::vector<std::unique_ptr<DriverBlock>> constants;  ///< by `Slot::binding` of constants slots
  BindingCache bindings;
  LaunchCache launches;

  /// What the driver launches for a logical grid.
  [[nodiscard]] std::array<std::uint32_t, 3> physical_grid(std::array<std::uint32_t, 3> grid) const;
  /// The slot of a binding of the plan.
  [[nodiscard]] std::size_t slot_of(std::uint32_t binding) const;
};

struct SavedVariant;

/// The slots in binding order of what lowering made of `program`.
std::vector<Slot> make_slots(const Program& program, const Lowered& lowered, bool launch_is_bound);

class Compiled {
 public:
  /// `cache`: where kernels are kept; may be null.
  Compiled(const ValidProgram& program,
           Driver& driver,
           bool strict_float,
           UploadConstants upload,
           BlobCache* cache)
      : program_(program),
        template_(make_template(program)),
        driver_(driver),
        strict_float_(strict_float),
        upload_(std::move(upload)),
        cache_(cache) {}

  [[nodiscard]] const ValidProgram& program() const { return program_; }
  [[nodiscard]] const PlanTemplate& plan_template() const { return template_; }
  [[nodiscard]] bool strict_float() const { return strict_float_; }

  /// How a grid must arrive: folded if an axis exceeds what the driver takes.
  [[nodiscard]] Fold fold_of(const std::array<std::uint32_t, 3>& grid) const;
  /// The kernel for grids that arrive so, compiled on first need.  Concurrent callers wait for one
  /// compilation; a failed one is tried again.  `compile_time` is set if this call compiled.
  Result<Variant*> variant(Fold fold,
                           std::string_view label,
                           std::optional<std::chrono::nanoseconds>& compile_time);
  /// The block on the device that holds these launch words, if there is one by now.
  DriverBlock* launch_block(Variant& variant, std::span<const std::uint32_t> words) const {
    return variant.launches.find(words, upload_);
  }
  /// Drops cached bindings that name a block.  REQUIRES: the recorder's lock.
  void forget(std::uint64_t serial);

 private:
  Result<std::unique_ptr<Variant>> build(Fold fold, std::string_view label) const;
  Result<std::unique_ptr<Variant>> compile(const Target& target,
                                           const std::string& key,
                                           std::string_view label) const;
  std::unique_ptr<Variant> restore(const std::string& key, std::string_view label) const;
  Result<std::unique_ptr<Variant>> assemble(SavedVariant parts,
                                            std::unique_ptr<DriverKernel> kernel) const;

  ValidProgram program_;
  PlanTemplate template_;
  Driver& driver_;
  bool strict_float_;
  UploadConstants upload_;
  BlobCache* cache_;
  std::mutex mutex_;
  std::array<std::atomic<Variant*>, kFolds> ready_ = {};  ///< by fold
  std::array<std::unique_ptr<Variant>, kFolds> owned_ = {};
};

class BufferImpl;

/// A job that is ready to launch, in a submission or as a step of a sequence.
struct PlannedJob {
  std::shared_ptr<Compiled> compiled;
  Variant* variant = nullptr;
  std::string label;
  Plan plan;
  std::vector<std::uint32_t> words;               ///< the launch block
  std::vector<std::shared_ptr<BufferImpl>> held;  ///< resident buffers in use
  std::vector<BlockRange> ranges;                 ///< by slot of the variant
  std::shared_ptr<DriverBindings> bindings;
  std::vector<PooledBlock> blocks;
  std::vector<BlockRange> clears;
  std::vector<LaunchCommand> launches;

  /// After planning: keeps the resident inputs alive, and finds the kernel and its launch words.
  Status find_kernel(std::span<const Input> inputs,
                     std::optional<std::chrono::nanoseconds>& compile_time);
  /// The launch over the plan's grid; none over an empty one.
  void add_launch();
};

/// About how much memory a compiled program holds: what it is made of, and as much again for what
/// was made of it.
std::uint64_t memory_of(const Program& program);

/// The value of one word of the launch block.
std::uint32_t launch_value(const LaunchWord& word, const Plan& plan);

/// True if a launch of `grid` workgroups writes every byte of a binding whose slot is covered, so
/// that the buffer needs neither a clear nor the host's bytes.
bool covers(const Program& program,
            const Binding& binding,
            const std::array<std::uint32_t, 3>& grid);

}  // namespace vyre
