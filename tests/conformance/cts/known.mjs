// SPDX-License-Identifier: MIT OR Apache-2.0
// The failures that are known, each with its reason; a fault that is mended leaves this list.
export const expectations = [];
