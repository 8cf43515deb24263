// One radix-2 stage of a Stockham transform: `half` is a power of two, the length of the
// transforms that the stage joins in pairs.
struct Params { half: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<vec2f>;
@group(0) @binding(2) var<storage, read> roots: array<vec2f>;  // e^(-2 pi i k / n), k < n / 2
@group(0) @binding(3) var<storage, read_write> dst: array<vec2f>;

@compute @workgroup_size(256)
fn stage(@builtin(global_invocation_id) id: vec3u) {
  let pairs = arrayLength(&src) / 2u;
  if (id.x >= pairs) { return; }
  let k = id.x & (params.half - 1u);
  let root = roots[k * (pairs / params.half)];
  let a = src[id.x];
  let b = src[id.x + pairs];
  let turned = vec2f(b.x * root.x - b.y * root.y, b.x * root.y + b.y * root.x);
  let out = ((id.x - k) << 1u) + k;
  dst[out] = a + turned;
  dst[out + params.half] = a - turned;
}
