// rejected: ignoring return value|ignoring returned value|nodiscard
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/result.h>

vyre::Result<int> compute();

void caller() {
  compute();
}
