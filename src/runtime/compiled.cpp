// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/compiled.h"

#include <algorithm>

#include "base/align.h"
#include "base/blob_cache.h"
#include "ir/layout.h"
#include "runtime/resident.h"
#include "runtime/saved_variant.h"

namespace vyre {
namespace {

/// The least bytes that a binding of this buffer may have: its layout with one element.
std::uint64_t minimum_bytes(const Program& program, const BufferDecl& buffer) {
  const std::uint64_t bytes = byte_size(program, buffer, 1);
  const std::uint64_t align = std::max<std::uint64_t>(program.layout(buffer).align, 4);
  const std::uint64_t rounded = align_to(bytes, align);
  return buffer.space == Space::uniform ? align_to(rounded, 16) : rounded;
}

bool is_bound(const BufferDecl& buffer) {
  return buffer.space == Space::storage || buffer.space == Space::uniform;
}

}  // namespace

std::vector<Slot> make_slots(const Program& valid, const Lowered& lowered, bool launch_is_bound) {
  std::vector<Slot> slots;
  std::uint32_t hosts = 0;
  std::uint32_t constants = 0;
  const Program& program = lowered.program;
  for (std::uint32_t i = 0; i < program.buffers.size(); ++i) {
    const BufferDecl& buffer = program.buffers[i];
    if (!is_bound(buffer)) continue;
    Slot slot = {.buffer = static_cast<BufferId>(i),
                 .space = buffer.space,
                 .access = buffer.access,
                 .minimum = minimum_bytes(program, buffer)};
    if (i < lowered.host_buffers && is_bound(valid.buffers[i])) {
      slot.binding = hosts++;
      slot.covered = i < lowered.covered.size() && lowered.covered[i];
    } else if (slot.buffer == lowered.trap_buffer) {
      slot.source = SlotSource::trap;
    } else {
      slot.source = SlotSource::constants;
      slot.binding = constants++;
    }
    slots.push_back(slot);
  }
  if (launch_is_bound && !lowered.launch.empty())
    slots.push_back({.source = SlotSource::launch,
                     .space = Space::uniform,
                     .minimum = align_to(lowered.launch.size() * 4, 16)});
  return slots;
}

std::array<std::uint32_t, 3> Variant::physical_grid(std::array<std::uint32_t, 3> grid) const {
  if (fold == Fold::none) return grid;
  const std::size_t axis =
      static_cast<std::size_t>(std::max_element(grid.begin(), grid.end()) - grid.begin());
  const std::uint32_t rows = (grid[axis] - 1) / fold_width + 1;
  const std::uint32_t width = (grid[axis] - 1) / rows + 1;
  return {width, rows, grid[(axis + 1) % 3] * grid[(axis + 2) % 3]};
}

std::size_t Variant::slot_of(std::uint32_t binding) const {
  const auto found = std::find_if(slots.begin(), slots.end(), [&](const Slot& slot) {
    return slot.source == SlotSource::host && slot.binding == binding;
  });
  return static_cast<std::size_t>(found - slots.begin());
}

/// What a driver that keeps kernels has kept of this one, or what the stages make of the program.
Result<std::unique_ptr<Variant>> Compiled::build(Fold fold, std::string_view label) const {
  Target target = driver_.target();
  target.strict_float = strict_float_;
  target.fold = fold;
  std::string key;
  if (cache_ != nullptr && driver_.traits().keeps_kernels)
    key = variant_key(program_.hash(), driver_.info(), target);
  auto variant = restore(key, label);
  if (variant == nullptr) {
    VYRE_TRY(variant, compile(target, key, label));
  }
  variant->fold = fold;
  variant->fold_width = driver_.traits().folded_grid;
  return variant;
}

/// Null if there is nothing, or nothing that this driver takes.
std::unique_ptr<Variant> Compiled::restore(const std::string& key, std::string_view label) const {
  if (key.empty()) return nullptr;
  const auto bytes = cache_->load(key);
  if (!bytes) return nullptr;
  auto parts = read_variant(*bytes, template_.bindings.size());
  if (!parts) return nullptr;
  auto kernel = driver_.restore(parts->kernel, label);
  if (!kernel) return nullptr;
  auto variant = assemble(*std::move(parts), *std::move(kernel));
  return variant ? *std::move(variant) : nullptr;
}

/// `key`: what the result is kept under; empty: it is not.
Result<std::unique_ptr<Variant>> Compiled::compile(const Target& target,
                                                   const std::string& key,
                                                   std::string_view label) const {
  VYRE_TRY(const Lowered lowered, lower(program_, target));
  SavedVariant parts;
  parts.slots = make_slots(program_.program(), lowered, !driver_.traits().passes_words);
  parts.launch = lowered.launch;
  for (const Slot& slot : parts.slots)
    if (slot.source == SlotSource::constants)
      parts.constants.push_back(lowered.program[slot.buffer].words);
  VYRE_TRY(auto kernel, driver_.compile(lowered, label));
  if (!key.empty()) {
    parts.kernel = driver_.save(*kernel);
    cache_->store(key, to_bytes(parts));
  }
  return assemble(std::move(parts), std::move(kernel));
}

Result<std::unique_ptr<Variant>> Compiled::assemble(SavedVariant parts,
                                                    std::unique_ptr<DriverKernel> kernel) const {
  auto variant = std::make_unique<Variant>();
  variant->kernel = std::move(kernel);
  variant->slots = std::move(parts.slots);
  variant->launch = std::move(parts.launch);
  for (const auto& words : parts.constants) {
    VYRE_TRY(auto block, upload_(words));
    variant->constants.push_back(std::move(block));
  }
  return variant;
}

Fold Compiled::fold_of(const std::array<std::uint32_t, 3>& grid) const {
  const std::uint32_t widest = driver_.traits().folded_grid;
  if (widest == 0 || *std::max_element(grid.begin(), grid.end()) <= widest) return Fold::none;
  if (grid[0] > widest) return grid[2] == 1 ? Fold::x : Fold::any;
  if (grid[1] > widest) return grid[2] == 1 ? Fold::y : Fold::any;
  return grid[1] == 1 ? Fold::z : Fold::any;
}

Result<Variant*> Compiled::variant(Fold fold,
                                   std::string_view label,
                                   std::optional<std::chrono::nanoseconds>& compile_time) {
  const auto which = static_cast<std::size_t>(fold);
  if (Variant* ready = ready_[which].load(std::memory_order_acquire)) return ready;
  const auto start = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  if (owned_[which] == nullptr) {
    auto built = build(fold, label);
    if (!built) return std::move(built).error().with("compiling `" + std::string(label) + "`");
    owned_[which] = *std::move(built);
    ready_[which].store(owned_[which].get(), std::memory_order_release);
  }
  compile_time = std::chrono::steady_clock::now() - start;
  return owned_[which].get();
}

void Compiled::forget(std::uint64_t serial) {
  for (const auto& variant : ready_)
    if (Variant* ready = variant.load(std::memory_order_acquire)) ready->bindings.forget(serial);
}

Status PlannedJob::find_kernel(std::span<const Input> inputs,
                               std::optional<std::chrono::nanoseconds>& compile_time) {
  for (const Input& input : inputs)
    if (input.buffer) held.push_back(input.buffer->impl());
  VYRE_TRY(variant, compiled->variant(compiled->fold_of(plan.grid), label, compile_time));
  for (const LaunchWord& word : variant->launch)
    words.push_back(launch_value(word, plan));
  return Ok{};
}

void PlannedJob::add_launch() {
  const auto& grid = plan.grid;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0) return;
  launches.push_back({.kernel = variant->kernel.get(),
                      .bindings = bindings.get(),
                      .ranges = ranges,
                      .words = words,
                      .logical_grid = grid,
                      .grid = variant->physical_grid(grid),
                      .repeat = plan.repeat});
}

std::uint64_t memory_of(const Program& program) {
  constexpr std::uint64_t kBase = 4096;  // kernel, bindings, plan
  std::uint64_t bytes = program.exprs.size() * sizeof(Expr) + program.stmts.size() * sizeof(Stmt) +
                        program.blocks.size() * sizeof(Block) +
                        program.places.size() * sizeof(Place);
  for (const BufferDecl& buffer : program.buffers)
    bytes += buffer.words.size() * sizeof(std::uint32_t);
  return kBase + 2 * bytes;
}

/// A covering store writes element global_id.x of a root array, for every element that the launch
/// reaches: the launch must reach them all.
bool covers(const Program& program,
            const Binding& binding,
            const std::array<std::uint32_t, 3>& grid) {
  return std::uint64_t{grid[0]} * program.workgroup[0] >= binding.count && grid[1] == 1 &&
         grid[2] == 1;
}

}  // namespace vyre
