// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/plan.h"

/// What `make_plan` refuses, one function an error: the wording in one place.
namespace vyre {

Error mixed_inputs(std::size_t inputs, std::size_t named);
Error unknown_buffer(const PlanTemplate& program, std::string_view name, std::string_view what);
Error not_an_output(std::string_view name);
Error takes_no_bytes(std::string_view name);
Error given_twice(std::string_view name);
Error wrong_input_count(const PlanTemplate& program, std::size_t inputs, bool full_order);
Error missing_input(const PlanTemplate& program, std::string_view name);
Error missing_count(std::string_view name);
Error count_disagrees(std::string_view name, std::uint64_t wanted, std::uint64_t actual);
Error not_whole_elements(std::string_view name,
                         std::uint64_t bytes,
                         std::uint64_t base,
                         std::uint64_t element);
Error too_long(std::string_view name, std::uint64_t bytes, std::uint64_t size);
Error resident_too_small(std::string_view name, std::uint64_t bytes, std::uint64_t size);
Error too_many_elements(std::string_view name, std::uint64_t count);
Error aliased(std::string_view first, std::string_view second);
Error staged_twice(std::string_view name);
Error window_outside(std::string_view name, const Window& window, std::uint64_t size);
Error outputs_too_large(std::uint64_t total, std::uint64_t limit);
Error too_large(std::string_view name, std::uint64_t size, std::uint64_t limit);
Error too_many_buffers(const PlanTemplate& program, std::uint32_t needed, const Limits& limits);
Error over_limit(std::string_view what, std::uint64_t needed, std::uint64_t limit);
Error workgroup_too_large(std::size_t axis, std::uint32_t size, std::uint32_t limit);
Error grid_missing(const std::array<std::uint32_t, 3>& workgroup);
Error grid_zero(std::size_t axis);
Error grid_wraps(std::size_t axis, std::uint32_t groups, std::uint32_t size);
Error grid_too_large(std::size_t axis, std::uint32_t groups, std::uint64_t limit);
Error too_many_workgroups(const std::array<std::uint32_t, 3>& grid);
Error grid_given_twice();
Error indirect_misaligned(std::string_view name, std::uint64_t offset);
Error indirect_outside(std::string_view name, std::uint64_t offset, std::uint64_t size);
Error repeat_zero();
Error repeat_too_large(std::uint32_t repeat);

}  // namespace vyre
