// Rows become columns, a tile at a time through workgroup memory.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

const TILE = 16u;
var<workgroup> tile: array<array<f32, TILE + 1>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) lane: vec3u) {
  let start = group.xy * TILE + lane.xy;
  if (start.x < params.width && start.y < params.height) {
    tile[lane.y][lane.x] = src[start.y * params.width + start.x];
  }
  workgroupBarrier();
  let end = group.yx * TILE + lane.xy;
  if (end.x < params.height && end.y < params.width) {
    dst[end.y * params.height + end.x] = tile[lane.x][lane.y];
  }
}
