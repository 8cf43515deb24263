// An image of four bytes a pixel, scaled with bilinear weights.
struct Params { source: vec2u, result: vec2u }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

fn pixel(x: u32, y: u32) -> vec4f { return unpack4x8unorm(src[y * params.source.x + x]); }

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= params.result)) { return; }
  let scale = vec2f(params.source) / vec2f(params.result);
  let last = params.source - 1u;
  let place = clamp((vec2f(id.xy) + 0.5) * scale - 0.5, vec2f(), vec2f(last));
  let low = vec2u(place);
  let high = min(low + 1u, last);
  let part = place - vec2f(low);
  let top = mix(pixel(low.x, low.y), pixel(high.x, low.y), part.x);
  let bottom = mix(pixel(low.x, high.y), pixel(high.x, high.y), part.x);
  dst[id.y * params.result.x + id.x] = pack4x8unorm(mix(top, bottom, part.y));
}
