// SPDX-License-Identifier: MIT OR Apache-2.0
#include "runtime/plan_errors.h"

#include <algorithm>

namespace vyre {
namespace {

std::string ticked(std::string_view name) {
  return "`" + std::string(name) + "`";
}
std::string text(std::uint64_t number) {
  return std::to_string(number);
}
char axis_name(std::size_t axis) {
  return "xyz"[axis];
}

Error refuse(std::string_view code, std::string message, std::string help) {
  return Error(ErrorKind::invalid_argument, code, std::move(message), std::move(help));
}
Error beyond(std::string_view code, std::string message, std::string help) {
  return Error(ErrorKind::unsupported, code, std::move(message), std::move(help));
}

/// The names of the buffers that pass `test`, in declaration order.
template <typename F>
std::string names(const PlanTemplate& program, F&& test) {
  std::string result;
  for (const BindingTemplate& binding : program.bindings)
    if (test(binding))
      result +=
          (result.empty() ? "" : ", ") + ticked(program.program.program()[binding.buffer].name);
  return result.empty() ? "none" : result;
}

std::string consuming(const PlanTemplate& program) {
  return names(program, [](const BindingTemplate& b) { return b.consumes; });
}
std::string every(const PlanTemplate& program) {
  return names(program, [](const BindingTemplate&) { return true; });
}

/// Storage buffers that are not declared as such.
std::string hidden_buffers(const Program& program, const Limits& limits) {
  std::string list = program.traps.empty() ? "" : "the traps";
  const auto add = [&](const char* what, const BufferDecl& buffer) {
    list += (list.empty() ? "" : ", ") + (what + ticked(buffer.name));
  };
  for (const BufferDecl& buffer : program.buffers) {
    const bool uniform = buffer.space == Space::uniform;
    if (uniform && program.layout(buffer).size > limits.uniform_binding)
      add("the large uniform ", buffer);
    if (buffer.space == Space::constant && buffer.words.size() > kInlineWords)
      add("the constants ", buffer);
  }
  return list;
}

}  // namespace

Error mixed_inputs(std::size_t inputs, std::size_t named) {
  return refuse("mixed-inputs",
                text(named) + " of " + text(inputs) + " inputs have a name, the others do not",
                "name all inputs, or none");
}

Error unknown_buffer(const PlanTemplate& program, std::string_view name, std::string_view what) {
  return refuse(
      "unknown-buffer",
      ticked(name) + " is given as " + std::string(what) + ", but the kernel has no such buffer",
      "the kernel's buffers are " + every(program));
}

Error not_an_output(std::string_view name) {
  return refuse("not-an-output",
                ticked(name) + " is given as an output to keep, but nothing of it comes back",
                "keep what the kernel writes");
}

Error takes_no_bytes(std::string_view name) {
  return refuse("output-supplied", ticked(name) + " is a pure output and takes no bytes",
                "leave it out, or declare it as read and written");
}

Error given_twice(std::string_view name) {
  return refuse("input-twice", ticked(name) + " is supplied twice", "supply it once");
}

Error wrong_input_count(const PlanTemplate& program, std::size_t inputs, bool full_order) {
  return refuse(
      "input-count", text(inputs) + " inputs are given without names",
      "the kernel takes, in this order: " + (full_order ? every(program) : consuming(program)));
}

Error missing_input(const PlanTemplate& program, std::string_view name) {
  return refuse("missing-input", ticked(name) + " has no bytes",
                "supply it; the kernel takes " + consuming(program));
}

Error missing_count(std::string_view name) {
  return refuse("missing-count",
                ticked(name) + " is runtime-sized, and neither its bytes nor its count is given",
                "supply its bytes, or give the number of its elements in DispatchOptions::counts");
}

Error count_disagrees(std::string_view name, std::uint64_t wanted, std::uint64_t actual) {
  return refuse("count-disagrees",
                "the count of " + ticked(name) + " is given as " + text(wanted) + ", but it has " +
                    text(actual) + " elements",
                "leave the count out where the bytes or the declaration fix it");
}

Error not_whole_elements(std::string_view name,
                         std::uint64_t bytes,
                         std::uint64_t base,
                         std::uint64_t element) {
  std::string message = ticked(name) + " is given " + text(bytes) +
                        " bytes, which are not whole elements of " + text(element) + " bytes";
  if (base != 0) message += " after a head of " + text(base);
  return refuse("partial-element", std::move(message), "supply whole elements");
}

Error too_long(std::string_view name, std::uint64_t bytes, std::uint64_t size) {
  return refuse("input-too-long",
                ticked(name) + " is given " + text(bytes) + " bytes, but holds " + text(size),
                "supply at most " + text(size) + " bytes");
}

Error resident_too_small(std::string_view name, std::uint64_t bytes, std::uint64_t size) {
  return refuse("buffer-too-small",
                "the buffer for " + ticked(name) + " has " + text(bytes) + " bytes of " +
                    text(size) + " needed",
                "allocate at least " + text(size) + " bytes");
}

Error too_many_elements(std::string_view name, std::uint64_t count) {
  return refuse("too-many-elements",
                ticked(name) + " would have " + text(count) + " elements; the limit is 4294967295",
                "split the data over several dispatches");
}

Error aliased(std::string_view first, std::string_view second) {
  return refuse("aliased-buffer",
                "one buffer is bound as " + ticked(first) + " and as " + ticked(second) +
                    ", and the kernel may write it",
                "bind one buffer twice only where both are read-only");
}

Error staged_twice(std::string_view name) {
  return refuse("staged-consumed",
                "the staged memory for " + ticked(name) + " is given for another input as well",
                "stage memory anew for each input of each dispatch");
}

Error window_outside(std::string_view name, const Window& window, std::uint64_t size) {
  return refuse("window-outside",
                "the window [" + text(window.begin) + ".." + text(window.end) + ") of " +
                    ticked(name) + " is outside its " + text(size) + " bytes",
                "make the window smaller or the buffer larger");
}

Error outputs_too_large(std::uint64_t total, std::uint64_t limit) {
  return refuse(
      "output-budget",
      "the outputs would have " + text(total) + " bytes; max_output_bytes is " + text(limit),
      "raise max_output_bytes, narrow the windows, or keep outputs on the device");
}

Error too_large(std::string_view name, std::uint64_t size, std::uint64_t limit) {
  return beyond(
      "buffer-too-large",
      ticked(name) + " needs " + text(size) + " bytes; the device binds at most " + text(limit),
      "split the data, or choose a device that binds more");
}

Error too_many_buffers(const PlanTemplate& program, std::uint32_t needed, const Limits& limits) {
  std::string message = "the kernel needs " + text(needed) + " storage buffers; the device has " +
                        text(limits.storage_buffers);
  if (const std::string hidden = hidden_buffers(program.program.program(), limits); !hidden.empty())
    message += " (counted with them: " + hidden + ")";
  return beyond("too-many-buffers", std::move(message),
                "join buffers into one, or choose another device");
}

Error over_limit(std::string_view what, std::uint64_t needed, std::uint64_t limit) {
  return beyond("device-limit",
                "the kernel needs " + text(needed) + " " + std::string(what) + "; the device has " +
                    text(limit),
                "make the kernel need less, or choose another device");
}

Error workgroup_too_large(std::size_t axis, std::uint32_t size, std::uint32_t limit) {
  return beyond("workgroup-too-large",
                std::string("the workgroup's ") + axis_name(axis) + " is " + text(size) +
                    "; the device allows " + text(limit),
                "make the workgroup smaller");
}

Error grid_missing(const std::array<std::uint32_t, 3>& workgroup) {
  return refuse("grid-missing",
                "the grid of a kernel with workgroups of " + text(workgroup[0]) + " x " +
                    text(workgroup[1]) + " x " + text(workgroup[2]) + " cannot be inferred",
                "set DispatchOptions::grid, which counts workgroups, or threads, which counts "
                "invocations");
}

Error grid_zero(std::size_t axis) {
  return refuse("grid-zero", std::string("the grid's ") + axis_name(axis) + " is 0",
                "give at least 1 on each axis, or no grid at all");
}

Error grid_wraps(std::size_t axis, std::uint32_t groups, std::uint32_t size) {
  return refuse("grid-too-large",
                text(groups) + " workgroups of " + text(size) + " on " + axis_name(axis) +
                    " exceed 4294967296 invocations",
                "use fewer workgroups and let each do more");
}

Error grid_too_large(std::size_t axis, std::uint32_t groups, std::uint64_t limit) {
  return beyond(
      "grid-too-large",
      text(groups) + " workgroups on " + axis_name(axis) + "; the device allows " + text(limit),
      "spread the grid over other axes, or let each invocation do more");
}

Error too_many_workgroups(const std::array<std::uint32_t, 3>& grid) {
  return refuse("grid-too-large",
                text(grid[0]) + " x " + text(grid[1]) + " x " + text(grid[2]) +
                    " workgroups are more than 4294967296",
                "use fewer workgroups and let each do more");
}

Error grid_given_twice() {
  return refuse("grid-given-twice",
                "more than one of grid, threads and indirect is given, and each is the whole grid",
                "give one of them");
}

Error indirect_misaligned(std::string_view name, std::uint64_t offset) {
  return refuse("indirect-range",
                "the indirect grid lies at byte " + text(offset) + " of " + ticked(name) +
                    ", which is no multiple of 4",
                "align it to 4 bytes");
}

Error indirect_outside(std::string_view name, std::uint64_t offset, std::uint64_t size) {
  const std::uint64_t end = offset + std::min<std::uint64_t>(12, ~offset);
  return refuse("indirect-range",
                "the indirect grid at [" + text(offset) + ".." + text(end) + ") is outside " +
                    ticked(name) + " of " + text(size) + " bytes",
                "keep offset + 12 at or below the buffer's size");
}

Error repeat_zero() {
  return refuse("repeat-zero", "repeat is 0", "repeat at least once");
}

Error repeat_too_large(std::uint32_t repeat) {
  return refuse("repeat-too-large",
                "repeat is " + text(repeat) + "; at most " + text(kMaxRepeat) + " is possible",
                "dispatch several times, or loop in the kernel");
}

}  // namespace vyre
