// SPDX-License-Identifier: MIT OR Apache-2.0
#include "backend/wgpu/device.h"

#include <algorithm>

#include "backend/wgpu/kernel.h"
#include "backend/wgpu/recorder.h"
#include "backend/wgpu/self_test.h"
#include "base/check.h"

namespace vyre::wgpu {
namespace {

std::uint32_t launch_word(const LaunchWord& word, const Plan& plan) {
  switch (word.field) {
    case LaunchField::grid_x: return plan.grid[0];
    case LaunchField::grid_y: return plan.grid[1];
    case LaunchField::grid_z: return plan.grid[2];
    case LaunchField::base_x:
    case LaunchField::base_y:
    case LaunchField::base_z:
    case LaunchField::zero: return 0;
    case LaunchField::count: break;
  }
  for (const Binding& binding : plan.bindings)
    if (binding.buffer == word.buffer) return static_cast<std::uint32_t>(binding.count);
  VYRE_UNREACHABLE();  // only host buffers have runtime-sized arrays
}

std::vector<std::uint32_t> launch_words(const Lowered& lowered, const Plan& plan) {
  std::vector<std::uint32_t> words;
  for (const LaunchWord& word : lowered.launch)
    words.push_back(launch_word(word, plan));
  return words;
}

Slot slot_of(const Binding& binding) {
  return {.size = binding.size,
          .supplied = binding.supplied,
          .comes_back = binding.comes_back,
          .window = binding.window};
}

/// Constants carry their words, the trap record starts as zeros.
Slot internal_slot(const Lowered& lowered, BufferId id) {
  if (id == lowered.trap_buffer) return {.size = kTrapWords * sizeof(std::uint32_t)};
  const auto bytes = std::as_bytes(std::span(lowered.program[id].words));
  return {.size = bytes.size(), .supplied = bytes};
}

std::vector<Slot> make_slots(const Variant& variant,
                             const Plan& plan,
                             std::span<const std::uint32_t> launch) {
  std::vector<Slot> slots;
  for (const KernelBinding& binding : variant.pipeline->source.bindings) {
    const auto found = std::find_if(plan.bindings.begin(), plan.bindings.end(),
                                    [&](const Binding& b) { return b.buffer == binding.buffer; });
    if (binding.buffer == kNone<BufferId>)
      slots.push_back({.size = launch.size_bytes(), .supplied = std::as_bytes(launch)});
    else if (found != plan.bindings.end())
      slots.push_back(slot_of(*found));
    else
      slots.push_back(internal_slot(*variant.lowered, binding.buffer));
  }
  return slots;
}

std::optional<std::size_t> trap_slot(const Variant& variant) {
  const auto& bindings = variant.pipeline->source.bindings;
  for (std::size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].buffer != kNone<BufferId> && bindings[i].buffer == variant.lowered->trap_buffer)
      return i;
  return std::nullopt;
}

}  // namespace

Fold fold_grid(std::array<std::uint32_t, 3> grid, std::uint32_t limit) {
  if (grid[0] <= limit) return {grid};
  const std::uint32_t rows =
      static_cast<std::uint32_t>((std::uint64_t{grid[0]} + limit - 1) / limit);
  return {{limit, rows, 1}, true};
}

Result<std::unique_ptr<BackendDevice>> WgpuDevice::open(Adapter adapter) {
  VYRE_TRY(auto gpu, Gpu::open(std::move(adapter)));
  VYRE_CHECK_OK(self_test(gpu));
  return std::unique_ptr<BackendDevice>(new WgpuDevice(std::move(gpu)));
}

Target WgpuDevice::target() const {
  Target target = wgsl_target();
  target.float_exact = info().float_exact;
  target.max_uniform_bytes = info().limits.uniform_binding;
  return target;
}

Result<std::unique_ptr<Kernel>> WgpuDevice::compile(const Lowered& lowered,
                                                    std::string_view label) {
  VYRE_TRY(auto kernel, WgpuKernel::make(gpu_, lowered, label));
  return std::unique_ptr<Kernel>(std::move(kernel));
}

Result<Finished> WgpuDevice::run(Kernel& kernel, const Work& work) {
  auto& compiled = static_cast<WgpuKernel&>(kernel);
  const Fold fold = fold_grid(work.plan.grid, info().limits.grid);
  if (fold.folded && fold.grid[1] > info().limits.grid)
    return Error(ErrorKind::unsupported, "grid-too-large",
                 "the grid of " + std::to_string(work.plan.grid[0]) +
                     " workgroups exceeds the square of the device's limit of " +
                     std::to_string(info().limits.grid) + " on one axis",
                 "use larger workgroups, or split the work");
  Variant variant = {&work.lowered, &compiled.plain()};
  Deadline deadline = work.deadline;
  if (fold.folded) {  // compiling on first use does not count
    const auto began = std::chrono::steady_clock::now();
    VYRE_TRY(variant, compiled.folded(work.lowered));
    deadline += std::chrono::steady_clock::now() - began;
  }
  const auto launch = launch_words(*variant.lowered, work.plan);
  return run_job(gpu_, {.pipeline = *variant.pipeline,
                        .slots = make_slots(variant, work.plan, launch),
                        .trap = trap_slot(variant),
                        .grid = fold.grid,
                        .repeat = work.plan.repeat,
                        .timestamps = work.options.timestamps,
                        .label = work.label,
                        .deadline = deadline,
                        .timeout = work.options.timeout});
}

}  // namespace vyre::wgpu
