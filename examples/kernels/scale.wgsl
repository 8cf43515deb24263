// SPDX-License-Identifier: MIT OR Apache-2.0
// dst = 3 * src + 1 over a buffer larger than 65535 workgroups: the grid is 2D and flattened here.
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const WG: u32 = 256u;

@compute @workgroup_size(WG)
fn main(@builtin(global_invocation_id) gid: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>) {
    let i = gid.y * (groups.x * WG) + gid.x;
    if (i >= arrayLength(&dst)) {
        return;
    }
    dst[i] = src[i] * 3u + 1u;
}
