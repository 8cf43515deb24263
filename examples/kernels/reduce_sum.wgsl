// SPDX-License-Identifier: MIT OR Apache-2.0
// Sum of u32 (wrapping).  Dispatch once with G workgroups (writes G partial sums), then once more
// with one workgroup over the partial sums.
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;

const WG: u32 = 256u;
var<workgroup> scratch: array<u32, WG>;

@compute @workgroup_size(WG)
fn main(@builtin(local_invocation_index) lid: u32,
        @builtin(workgroup_id) wid: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>) {
    let n = arrayLength(&src);
    let stride = groups.x * WG;
    var acc = 0u;
    for (var i = wid.x * WG + lid; i < n; i += stride) {
        acc += src[i];
    }
    scratch[lid] = acc;
    workgroupBarrier();

    for (var half = WG / 2u; half > 0u; half = half / 2u) {
        if (lid < half) {
            scratch[lid] += scratch[lid + half];
        }
        workgroupBarrier();
    }

    if (lid == 0u) {
        dst[wid.x] = scratch[0];
    }
}
