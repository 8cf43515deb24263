// SPDX-License-Identifier: MIT OR Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/compiled.h"

/// The one decision about where the bytes of a binding live during a job.
namespace vyre {

/// Bytes of the shared block that is bound for an empty buffer.
inline constexpr std::uint64_t kZeroBytes = 65536;

enum class Location : std::uint8_t {
  nothing,     ///< empty: a shared block of zeros is bound
  resident,    ///< the caller's own device buffer
  borrowed,    ///< the caller's host memory, read in place
  staged,      ///< the caller's mapped memory, read in place
  uploaded,    ///< a part of the job's mapped upload block, read in place: no copy
  downloaded,  ///< a part of the job's mapped readback block, written in place: no copy
  device,      ///< a device block; bytes are copied up before and down after
  shared,      ///< a block that host and device both see at all times (unified memory)
  computed,    ///< a part of the private block that the prologue of an indirect dispatch writes
};

struct PlacementQuery {
  const Slot& slot;
  const Binding& binding;
  const DriverTraits& traits;
  Placement wanted = Placement::automatic;  ///< the dispatch's option
  bool covered = false;                     ///< the launch writes every byte
  bool waits = false;                       ///< the caller's memory outlives the job
};

/// Chooses a place.  Read-only bytes go to the mapped upload block where the driver can bind one;
/// outputs go to a mapped readback block only where every byte is written exactly by the kernel's
/// covering store, since clearing, reading or updating host memory across the link is slow.
Location choose_place(const PlacementQuery& query);

}  // namespace vyre
