// SPDX-License-Identifier: MIT OR Apache-2.0
// Escape-time iteration counts for [-2, 1) x [-1.5, 1.5).
struct Params {
    width: u32,
    height: u32,
    max_iter: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> counts: array<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= params.width || gid.y >= params.height) {
        return;
    }
    let c = vec2<f32>(-2.0 + 3.0 * f32(gid.x) / f32(params.width),
                      -1.5 + 3.0 * f32(gid.y) / f32(params.height));
    var z = vec2<f32>(0.0, 0.0);
    var it = 0u;
    loop {
        if (it >= params.max_iter || dot(z, z) > 4.0) {
            break;
        }
        z = vec2<f32>(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        it += 1u;
    }
    counts[gid.y * params.width + gid.x] = it;
}
