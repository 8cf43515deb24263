// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/plan.h"

#include <algorithm>

#include "runtime/plan_errors.h"
#include "runtime/resident.h"

// The steps of `make_plan`, in order: inputs to bindings, counts and sizes, windows, limits, grid.
namespace vyre {
namespace {

class Planner {
 public:
  Planner(const PlanTemplate& program,
          const DispatchOptions& options,
          const Limits& limits,
          Plan& plan)
      : template_(program),
        program_(program.program.program()),
        options_(options),
        limits_(limits),
        plan_(plan) {}

  Status run(std::span<const Input> inputs) {
    plan_.reset();
    plan_.bindings.resize(template_.bindings.size());
    for (std::size_t i = 0; i < template_.bindings.size(); ++i)
      plan_.bindings[i].buffer = template_.bindings[i].buffer;
    VYRE_CHECK_OK(assign(inputs));
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i)
      VYRE_CHECK_OK(size(i));
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i)
      VYRE_CHECK_OK(size_like_another(i));
    VYRE_CHECK_OK(check_counts());
    VYRE_CHECK_OK(check_aliases());
    VYRE_CHECK_OK(set_windows());
    VYRE_CHECK_OK(check_limits());
    if (options_.repeat == 0) return repeat_zero();
    if (options_.repeat > kMaxRepeat) return repeat_too_large(options_.repeat);
    plan_.repeat = options_.repeat;
    if (options_.indirect) return set_indirect(*options_.indirect);
    return set_explicit_grid();
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t i) const {
    return program_[template_.bindings[i].buffer].name;
  }

  // ---- inputs

  Status assign(std::span<const Input> inputs) {
    const auto named = static_cast<std::size_t>(std::count_if(
        inputs.begin(), inputs.end(), [](const Input& input) { return !input.name.empty(); }));
    if (named == inputs.size() && !inputs.empty()) return assign_named(inputs);
    if (named != 0) return mixed_inputs(inputs.size(), named);
    return inputs.empty() && !options_.full_input_order ? Status(Ok{}) : assign_in_order(inputs);
  }

  Status assign_named(std::span<const Input> inputs) {
    for (const Input& input : inputs) {
      const std::size_t i = find(input.name);
      if (i == plan_.bindings.size()) return unknown_buffer(template_, input.name, "an input");
      if (!template_.bindings[i].consumes && !input.buffer) return takes_no_bytes(name(i));
      if (plan_.bindings[i].given) return given_twice(name(i));
      VYRE_CHECK_OK(give(i, input));
    }
    return Ok{};
  }

  Status assign_in_order(std::span<const Input> inputs) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
      const bool takes = template_.bindings[i].consumes;
      if (!takes && !options_.full_input_order) continue;
      if (next == inputs.size())
        return wrong_input_count(template_, inputs.size(), options_.full_input_order);
      if (takes) VYRE_CHECK_OK(give(i, inputs[next]));
      ++next;
    }
    if (next != inputs.size())
      return wrong_input_count(template_, inputs.size(), options_.full_input_order);
    return Ok{};
  }

  Status give(std::size_t i, const Input& input) {
    Binding& binding = plan_.bindings[i];
    binding.given = true;
    binding.supplied = input.bytes();
    if (input.buffer) binding.resident = input.buffer->impl().get();
    if (input.staged != nullptr) {
      binding.supplied = input.staged->bytes();
      binding.staged = input.staged->impl();
    }
    if (input.type == nullptr) return Ok{};
    return check_elements(template_.bindings[i].held, *input.type, name(i), input.size());
  }

  [[nodiscard]] std::size_t find(std::string_view wanted) const {
    std::size_t i = 0;
    while (i < plan_.bindings.size() && name(i) != wanted)
      ++i;
    return i;
  }

  // ---- counts and sizes

  [[nodiscard]] std::optional<std::uint64_t> option_count(std::size_t i) const {
    for (const auto& [buffer, count] : options_.counts)
      if (buffer == name(i)) return count;
    return std::nullopt;
  }

  Status size(std::size_t i) {
    const BindingTemplate& fixed = template_.bindings[i];
    Binding& binding = plan_.bindings[i];
    if (!binding.given) return size_unsupplied(i);
    const std::uint64_t bytes =
        binding.resident != nullptr ? binding.resident->size() : binding.supplied.size();
    if (!fixed.runtime) return size_static(i, bytes);
    const std::uint64_t base = fixed.runtime->offset;
    if (bytes < base || (bytes - base) % fixed.runtime->stride != 0)
      return not_whole_elements(name(i), bytes, base, fixed.runtime->stride);
    return set_count(i, (bytes - base) / fixed.runtime->stride);
  }

  Status size_static(std::size_t i, std::uint64_t bytes) {
    const BindingTemplate& fixed = template_.bindings[i];
    Binding& binding = plan_.bindings[i];
    binding.size = fixed.size;
    binding.count = fixed.count;
    if (binding.resident != nullptr)
      return bytes < fixed.size ? resident_too_small(name(i), bytes, fixed.size) : Status(Ok{});
    if (bytes > fixed.size) return too_long(name(i), bytes, fixed.size);
    const bool whole = bytes == 0 || bytes == fixed.size ||
                       (bytes >= fixed.element_base && fixed.element != 0 &&
                        (bytes - fixed.element_base) % fixed.element == 0);
    return whole ? Status(Ok{})
                 : not_whole_elements(name(i), bytes, fixed.element_base, fixed.element);
  }

  Status size_unsupplied(std::size_t i) {
    const BindingTemplate& fixed = template_.bindings[i];
    if (fixed.required) return missing_input(template_, name(i));
    if (!fixed.runtime) {
      plan_.bindings[i].size = fixed.size;
      plan_.bindings[i].count = fixed.count;
      return Ok{};
    }
    if (const auto count = option_count(i)) return set_count(i, *count);
    return fixed.same_length_as != ~0u ? Status(Ok{}) : missing_count(name(i));
  }

  Status size_like_another(std::size_t i) {
    const BindingTemplate& fixed = template_.bindings[i];
    if (fixed.same_length_as == ~0u || plan_.bindings[i].given || option_count(i)) return Ok{};
    return set_count(i, plan_.bindings[fixed.same_length_as].count);
  }

  Status set_count(std::size_t i, std::uint64_t count) {
    constexpr std::uint64_t kMaxCount = 0xffffffffu;  // lengths and indices are u32
    if (count > kMaxCount) return too_many_elements(name(i), count);
    const RuntimeArray& array = *template_.bindings[i].runtime;
    plan_.bindings[i].count = count;
    plan_.bindings[i].size = array.offset + count * array.stride;
    return Ok{};
  }

  Status check_counts() const {
    for (const auto& [buffer, count] : options_.counts) {
      const std::size_t i = find(buffer);
      if (i == plan_.bindings.size()) return unknown_buffer(template_, buffer, "a count");
      if (plan_.bindings[i].count != count)
        return count_disagrees(buffer, count, plan_.bindings[i].count);
    }
    return Ok{};
  }

  /// One buffer object under two names only if both are read-only; staged memory under one.
  Status check_aliases() const {
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const Binding& mine = plan_.bindings[i];
        const Binding& other = plan_.bindings[k];
        if (mine.staged != nullptr && mine.staged == other.staged) return staged_twice(name(i));
        if (mine.resident != nullptr && mine.resident == other.resident &&
            (template_.bindings[i].written || template_.bindings[k].written))
          return aliased(name(k), name(i));
      }
    return Ok{};
  }

  // ---- what comes back

  Status set_windows() {
    for (const std::string& kept : options_.keep_on_device) {
      const std::size_t i = find(kept);
      if (i == plan_.bindings.size()) return unknown_buffer(template_, kept, "an output to keep");
      if (!template_.bindings[i].returns) return not_an_output(kept);
    }
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
      Binding& binding = plan_.bindings[i];
      const auto& kept = options_.keep_on_device;
      binding.comes_back = template_.bindings[i].returns && binding.resident == nullptr &&
                           std::find(kept.begin(), kept.end(), name(i)) == kept.end();
      if (!binding.comes_back) continue;
      binding.window = program_[binding.buffer].window;
      if (binding.window.end == ~std::uint64_t{0}) binding.window.end = binding.size;
      if (binding.window.begin > binding.window.end || binding.window.end > binding.size)
        return window_outside(name(i), binding.window, binding.size);
      total += binding.window.end - binding.window.begin;
    }
    return total > options_.max_output_bytes ? outputs_too_large(total, options_.max_output_bytes)
                                             : Status(Ok{});
  }

  // ---- limits

  Status check_limits() const {
    VYRE_CHECK_OK(check_workgroup());
    const std::uint32_t stored = stored_uniforms();
    if (template_.storage_buffers + stored > limits_.storage_buffers)
      return too_many_buffers(template_, template_.storage_buffers + stored, limits_);
    if (template_.uniform_buffers - stored > limits_.uniform_buffers)
      return over_limit("uniform buffers", template_.uniform_buffers - stored,
                        limits_.uniform_buffers);
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
      const std::uint64_t limit = std::min(limits_.buffer_size, limits_.storage_binding);
      if (plan_.bindings[i].size > limit) return too_large(name(i), plan_.bindings[i].size, limit);
    }
    return Ok{};
  }

  /// Uniforms over the device's limit become storage.
  [[nodiscard]] std::uint32_t stored_uniforms() const {
    std::uint32_t count = 0;
    for (const Binding& binding : plan_.bindings)
      if (program_[binding.buffer].space == Space::uniform &&
          binding.size > limits_.uniform_binding)
        ++count;
    return count;
  }

  Status check_workgroup() const {
    std::uint64_t invocations = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      invocations *= program_.workgroup[axis];
      if (program_.workgroup[axis] > limits_.workgroup_size[axis])
        return workgroup_too_large(axis, program_.workgroup[axis], limits_.workgroup_size[axis]);
    }
    if (invocations > limits_.workgroup_invocations)
      return over_limit("invocations in a workgroup", invocations, limits_.workgroup_invocations);
    if (template_.workgroup_bytes > limits_.workgroup_memory)
      return over_limit("bytes of workgroup memory", template_.workgroup_bytes,
                        limits_.workgroup_memory);
    return Ok{};
  }

  // ---- grid

  Status infer_grid() {
    if (!template_.one_dimensional) return grid_missing(program_.workgroup);
    const auto count_of = [this](std::size_t i) { return plan_.bindings[i].count; };
    const std::uint64_t groups = inferred_workgroups(template_, count_of);
    return set_axes({static_cast<std::uint32_t>(groups), 1, 1});
  }

  /// What the words say is known on the device alone.
  Status set_indirect(const IndirectGrid& indirect) {
    constexpr std::uint64_t kBytes = 12;
    if (options_.grid || options_.threads) return grid_given_twice();
    const std::size_t i = find(indirect.buffer);
    if (i == plan_.bindings.size())
      return unknown_buffer(template_, indirect.buffer, "an indirect grid");
    if (indirect.offset % 4 != 0) return indirect_misaligned(name(i), indirect.offset);
    const std::uint64_t size = plan_.bindings[i].size;
    if (size < kBytes || indirect.offset > size - kBytes)
      return indirect_outside(name(i), indirect.offset, size);
    plan_.indirect = {static_cast<std::uint32_t>(i), indirect.offset};
    return Ok{};
  }

  Status set_explicit_grid() {
    if (options_.grid && options_.threads) return grid_given_twice();
    if (options_.threads) return set_grid(groups_of(*options_.threads, program_.workgroup));
    return options_.grid ? set_grid(*options_.grid) : infer_grid();
  }

  Status set_grid(const std::array<std::uint32_t, 3>& grid) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (grid[axis] == 0) return grid_zero(axis);
    return set_axes(grid);
  }

  Status set_axes(const std::array<std::uint32_t, 3>& grid) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (std::uint64_t{grid[axis]} * program_.workgroup[axis] > std::uint64_t{1} << 32)
        return grid_wraps(axis, grid[axis], program_.workgroup[axis]);
      const std::uint64_t rows = std::uint64_t{limits_.grid} * limits_.grid;  // of a folded axis
      if (grid[axis] > rows) return grid_too_large(axis, grid[axis], rows);
    }
    constexpr std::uint64_t kMaxGroups = std::uint64_t{1} << 32;
    const std::uint64_t plane = std::uint64_t{grid[0]} * grid[1];
    if (plane > kMaxGroups || plane * grid[2] > kMaxGroups) return too_many_workgroups(grid);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::uint64_t others = std::uint64_t{grid[(axis + 1) % 3]} * grid[(axis + 2) % 3];
      if (grid[axis] > limits_.grid && others > limits_.grid)
        return grid_too_large(axis, grid[axis], limits_.grid);
    }
    plan_.grid = grid;
    return Ok{};
  }

  const PlanTemplate& template_;
  const Program& program_;
  const DispatchOptions& options_;
  const Limits& limits_;
  Plan& plan_;
};

}  // namespace

std::array<std::uint32_t, 3> groups_of(const std::array<std::uint32_t, 3>& threads,
                                       const std::array<std::uint32_t, 3>& workgroup) {
  std::array<std::uint32_t, 3> groups = threads;
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (threads[axis] != 0) groups[axis] = (threads[axis] - 1) / workgroup[axis] + 1;
  return groups;
}

std::uint64_t Plan::count_of(BufferId buffer) const {
  for (const Binding& binding : bindings)
    if (binding.buffer == buffer) return binding.count;
  return 0;
}

void Plan::reset() {
  bindings.clear();
  grid = {1, 1, 1};
  indirect.reset();
  repeat = 1;
}

Status make_plan(const PlanTemplate& program,
                 std::span<const Input> inputs,
                 const DispatchOptions& options,
                 const Limits& limits,
                 Plan& plan) {
  return Planner(program, options, limits, plan).run(inputs);
}

}  // namespace vyre
