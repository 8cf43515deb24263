// SPDX-License-Identifier: MIT OR Apache-2.0
// Inclusive prefix sum of u32 (wrapping), three-phase.
//   scan_blocks : every workgroup scans 1024 elements and writes its total to sums[workgroup]
//   (scan `sums` the same way, recursively)
//   add_offsets : every workgroup but the first adds the scanned total of all earlier blocks
@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<u32>;

const WG: u32 = 256u;
const PER_THREAD: u32 = 4u;
const BLOCK: u32 = WG * PER_THREAD;

var<workgroup> totals: array<u32, WG>;

@compute @workgroup_size(WG)
fn scan_blocks(@builtin(local_invocation_index) lid: u32,
               @builtin(workgroup_id) wid: vec3<u32>) {
    let n = arrayLength(&src);
    let base = wid.x * BLOCK + lid * PER_THREAD;

    var v: array<u32, PER_THREAD>;
    var running = 0u;
    for (var k = 0u; k < PER_THREAD; k++) {
        let i = base + k;
        if (i < n) {
            running += src[i];
        }
        v[k] = running;
    }

    // Hillis-Steele scan of the per-thread totals.
    totals[lid] = running;
    workgroupBarrier();
    for (var offset = 1u; offset < WG; offset = offset * 2u) {
        var t = totals[lid];
        if (lid >= offset) {
            t += totals[lid - offset];
        }
        workgroupBarrier();
        totals[lid] = t;
        workgroupBarrier();
    }

    let before = totals[lid] - running;
    for (var k = 0u; k < PER_THREAD; k++) {
        let i = base + k;
        if (i < n) {
            dst[i] = v[k] + before;
        }
    }
    if (lid == WG - 1u) {
        sums[wid.x] = totals[lid];
    }
}

@compute @workgroup_size(WG)
fn add_offsets(@builtin(local_invocation_index) lid: u32,
               @builtin(workgroup_id) wid: vec3<u32>) {
    if (wid.x == 0u) {
        return;
    }
    let n = arrayLength(&dst);
    let offset = sums[wid.x - 1u];
    let base = wid.x * BLOCK + lid;
    for (var k = 0u; k < PER_THREAD; k++) {
        let i = base + k * WG;
        if (i < n) {
            dst[i] += offset;
        }
    }
}
