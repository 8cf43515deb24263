// How many of 64 random points of each invocation lie in the quarter of a circle.
@group(0) @binding(0) var<storage, read_write> hits: array<atomic<u32>, 64>;

fn pcg(state: ptr<function, u32>) -> u32 {
  let old = *state;
  *state = old * 747796405u + 2891336453u;
  let word = ((old >> ((old >> 28u) + 4u)) ^ old) * 277803737u;
  return (word >> 22u) ^ word;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  var state = id.x;
  var inside = 0u;
  for (var i = 0; i < 64; i++) {
    let x = pcg(&state) >> 17u;
    let y = pcg(&state) >> 17u;
    if (x * x + y * y < 1u << 30u) { inside++; }
  }
  atomicAdd(&hits[id.x & 63u], inside);
}
