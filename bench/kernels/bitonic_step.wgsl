// One pass of a bitonic sort: keys that lie `stride` apart are put in the order of their block.
struct Params { stride: u32, block: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> keys: array<u32>;

@compute @workgroup_size(256)
fn step(@builtin(global_invocation_id) id: vec3u) {
  let low = id.x % params.stride + (id.x / params.stride) * 2u * params.stride;
  let high = low + params.stride;
  if (high >= arrayLength(&keys)) { return; }
  let ascending = (low & params.block) == 0u;
  let a = keys[low];
  let b = keys[high];
  if ((a > b) == ascending) {
    keys[low] = b;
    keys[high] = a;
  }
}
