// rejected: no matching function for call to .*Result<int>::Result\(\)
// SPDX-License-Identifier: MIT OR Apache-2.0
#include <vyre/result.h>

vyre::Result<int> nothing;
