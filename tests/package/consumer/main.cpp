// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/vyre.h>

// Needs the library's code, not its headers alone.
int main() {
  vyre::Diagnostics faults;
  faults.error(vyre::Code::type_mismatch, {}, "u32 where f32 is needed");
  const vyre::Error error(faults);
  return error.to_string() == "error[type-mismatch]: u32 where f32 is needed\n1 error" ? 0 : 1;
}
