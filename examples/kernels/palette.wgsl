// SPDX-License-Identifier: MIT OR Apache-2.0
// Paints escape counts as packed RGBA: the set is black, the rest the brighter the later it escapes.
struct Params {
    max_iter: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> counts: array<u32>;
@group(0) @binding(2) var<storage, read_write> pixels: array<u32>;

const OPAQUE: u32 = 0xff000000u;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    if (i >= arrayLength(&pixels)) {
        return;
    }
    let count = counts[i];
    if (count >= params.max_iter) {
        pixels[i] = OPAQUE;
        return;
    }
    let light = count * 255u / params.max_iter;
    let red = min(light * 6u, 255u);
    let green = min(light * 3u, 255u);
    let blue = min(light + 48u, 255u);
    pixels[i] = OPAQUE | (blue << 16u) | (green << 8u) | red;
}
