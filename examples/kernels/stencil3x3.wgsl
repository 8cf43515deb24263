// SPDX-License-Identifier: MIT OR Apache-2.0
// 3x3 binomial blur (1 2 1 / 2 4 2 / 1 2 1) / 16 with clamped edges.
struct Params {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

fn at(x: i32, y: i32) -> f32 {
    let cx = clamp(x, 0, i32(params.width) - 1);
    let cy = clamp(y, 0, i32(params.height) - 1);
    return src[u32(cy) * params.width + u32(cx)];
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= params.width || gid.y >= params.height) {
        return;
    }
    let x = i32(gid.x);
    let y = i32(gid.y);
    let corners = at(x - 1, y - 1) + at(x + 1, y - 1) + at(x - 1, y + 1) + at(x + 1, y + 1);
    let edges = at(x, y - 1) + at(x - 1, y) + at(x + 1, y) + at(x, y + 1);
    dst[gid.y * params.width + gid.x] = (corners + 2.0 * edges + 4.0 * at(x, y)) * 0.0625;
}
