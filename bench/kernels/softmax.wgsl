// Each row to weights that sum to one; a workgroup a row.
struct Params { columns: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

const LANES = 256u;
var<workgroup> partial: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lane: u32) {
  let row = group.x * params.columns;
  var largest = -3.4e38;
  for (var i = lane; i < params.columns; i += LANES) { largest = max(largest, src[row + i]); }
  partial[lane] = largest;
  workgroupBarrier();
  for (var width = LANES / 2u; width > 0u; width /= 2u) {
    if (lane < width) { partial[lane] = max(partial[lane], partial[lane + width]); }
    workgroupBarrier();
  }
  largest = partial[0];
  workgroupBarrier();
  var sum = 0.0;
  for (var i = lane; i < params.columns; i += LANES) {
    let value = exp(src[row + i] - largest);
    dst[row + i] = value;
    sum += value;
  }
  partial[lane] = sum;
  workgroupBarrier();
  for (var width = LANES / 2u; width > 0u; width /= 2u) {
    if (lane < width) { partial[lane] += partial[lane + width]; }
    workgroupBarrier();
  }
  let scale = 1.0 / partial[0];
  for (var i = lane; i < params.columns; i += LANES) { dst[row + i] *= scale; }
}
