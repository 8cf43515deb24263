// SPDX-License-Identifier: MIT OR Apache-2.0
// Adds one to every element of a resident buffer.
@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i < arrayLength(&data)) {
        data[i] = data[i] + 1u;
    }
}
