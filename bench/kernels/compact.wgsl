// The words of each block of 256 that are below a bound, moved to the front of the block, in
// their order; and how many they are.
struct Params { bound: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@group(0) @binding(3) var<storage, read_write> counts: array<u32>;

const BLOCK = 256u;
var<workgroup> places: array<u32, BLOCK>;

@compute @workgroup_size(BLOCK)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u,
        @builtin(local_invocation_index) lane: u32) {
  var word = 0xffffffffu;
  if (id.x < arrayLength(&src)) { word = src[id.x]; }
  let kept = word < params.bound;
  places[lane] = select(0u, 1u, kept);
  workgroupBarrier();
  for (var step = 1u; step < BLOCK; step *= 2u) {
    var before = 0u;
    if (lane >= step) { before = places[lane - step]; }
    workgroupBarrier();
    places[lane] += before;
    workgroupBarrier();
  }
  if (kept) { dst[group.x * BLOCK + places[lane] - 1u] = word; }
  if (lane == BLOCK - 1u) { counts[group.x] = places[lane]; }
}
