// SPDX-License-Identifier: MIT OR Apache-2.0
// y = alpha * x + y, grid-stride loop.
struct Params {
    n: u32,
    alpha: f32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3<u32>,
        @builtin(num_workgroups) groups: vec3<u32>) {
    let stride = groups.x * 256u;
    for (var i = gid.x; i < params.n; i += stride) {
        y[i] = params.alpha * x[i] + y[i];
    }
}
