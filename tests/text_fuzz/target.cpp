// SPDX-License-Identifier: MIT OR Apache-2.0
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <vyre/vyre.h>

/// Any bytes at all are a kernel or a list of faults, and faults have text.  What is a kernel can
/// be printed as WGSL or is refused with a reason, and what was printed is a kernel again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const vyre::Result<vyre::ValidProgram> program = vyre::parse_wgsl(text);
  if (!program) {
    if (program.error().to_string().empty()) std::abort();
    return 0;
  }
  const vyre::Result<std::string> printed = vyre::emit(*program, "wgsl");
  if (printed && !vyre::parse_wgsl(*printed)) std::abort();
  return 0;
}
