// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <vector>

#include "vyre/program.h"
#include "vyre/result.h"

#include "lower/lower.h"

/// The passes of `lower`, each in the file of its name.  The list in `lower.cpp` orders them and
/// says when each is needed.  Every pass keeps the program's meaning.  Pure; any thread.
namespace vyre {

/// Loops with few turns, whose number is known, are written turn by turn.
Program unroll_loops(const Program& program);

/// Private arrays at constant indices become variables.
Program promote_arrays(const Program& program);

/// Private arrays of equal layout whose lives do not meet become one.
Program share_arrays(const Program& program);

/// Conditions that bounds make needless are dropped.
Program drop_conditions(const Program& program);

/// `a && b` and `a || b` that were branches become operators where b does no harm.
Program join_conditions(const Program& program);

/// Variables that hold a known value wherever they are read become that value.
Program forward_variables(const Program& program);

/// Bits from a known place are taken by shifts.
Program shift_fields(const Program& program);

/// Equal operations are computed once, and what cannot be written is loaded once.
Program share_values(const Program& program);

/// Accesses to several consecutive elements become one access for each.
Program split_elements(const Program& program);

/// Loops whose end is not proved count their turns, and trap when none is left.
Program bound_loops(const Program& program, const Target& target);

/// Traps become claims of a trap record, and an end of the lane.
Status lower_traps(Lowered& lowered);

/// Accesses are put under the conditions that keep them in bounds, unless those surely hold.
Program guard_bounds(const Program& program);

/// Workgroup memory that may be read before it is written starts with a loop that zeroes it.
Program zero_workgroup(const Program& program);

/// Shuffles and broadcasts from a lane that is inactive or does not exist give zero.
Program zero_lanes(const Program& program);

/// Workgroups of programs that ask for their lane, or keep idle lanes, get one dimension, so that
/// lanes are invocations in the order of their index.
Program flatten_workgroup(const Program& program, const Target& target);

/// True if lanes that fill up the last vector of a workgroup may take part in a loop.
bool keeps_idle_lanes(const Program& program, const Target& target);

/// Narrow and boolean elements, large constants and refused uniform layouts become words.
Program pack_elements(const Program& program, const Target& target);

/// Operators on f16 become those on f32, rounded: what is left of f16 are memory, variables,
/// selections and conversions.
Program widen_halves(const Program& program);

/// Composite operators become core ones.
Program expand_ops(const Program& program);

/// Constant operations are computed, known branches taken, and unused values left out.
Program fold_constants(const Program& program);

/// Operators keep their meaning where a text target promises less.
Program pin_meaning(const Program& program, const Target& target);

/// Lengths and the grid become launch words; a grid that arrives folded is unfolded.
Program bind_launch(const Program& program, const Target& target);

/// Results of + - * are hidden from compilers that would merge them with other operations.
Program strict_float(const Program& program);

/// Switches and named blocks become ifs, loops and flags.
Program flatten_control(const Program& program);

/// Fails if the program nests so deeply that no pass could help: passes may take time in
/// proportion to the nesting of each statement.
Status check_nesting(const Lowered& lowered);

/// Fails if the program holds atomics of a width that the target lacks.
Status check_atomics(const Lowered& lowered);

/// Fails if the program exceeds what the target can hold.
Status check_limits(const Lowered& lowered);

/// The words of the launch block that the program reads, in the order of first use.
std::vector<LaunchWord> launch_words(const Program& program);

}  // namespace vyre
