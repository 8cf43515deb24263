// SPDX-License-Identifier: MIT OR Apache-2.0
// 256-bin histogram of the bytes of a buffer (little endian words).  `bins` must be zero on entry.
@group(0) @binding(0) var<storage, read> words: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

var<workgroup> local_bins: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) lid: u32,
        @builtin(global_invocation_id) gid: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>) {
    atomicStore(&local_bins[lid], 0u);
    workgroupBarrier();

    let n = arrayLength(&words);
    let stride = groups.x * 256u;
    for (var i = gid.x; i < n; i += stride) {
        let w = words[i];
        atomicAdd(&local_bins[w & 0xffu], 1u);
        atomicAdd(&local_bins[(w >> 8u) & 0xffu], 1u);
        atomicAdd(&local_bins[(w >> 16u) & 0xffu], 1u);
        atomicAdd(&local_bins[w >> 24u], 1u);
    }
    workgroupBarrier();

    let mine = atomicLoad(&local_bins[lid]);
    if (mine != 0u) {
        atomicAdd(&bins[lid], mine);
    }
}
