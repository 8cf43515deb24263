// A kernel with much of the grammar in it, for the fuzzer to damage.
enable f16;
alias Index = u32;
override scale: f32 = 2.0;
@id(7) override limit: u32 = 100u;
const kTable = array<i32, 4>(1, -2, 0x7f, 3i);
const_assert 1 + 1 == 2;

struct Params {
  width: u32,
  @align(16) origin: vec3<f32>,
  steps: array<vec4u, 3>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;
var<workgroup> tile: array<f32, 64>;

@group(0) @binding(3) var picture: texture_2d<f32>;
@group(0) @binding(4) var painted: texture_storage_2d<rgba16sint, write>;
var<private> turn: mat3x2f;

fn mixed(m: mat2x3h, at: vec2u, by: texture_2d<f32>) -> vec3f {
  turn[at.x][at.y] *= 0.5;
  turn += transpose(mat2x3f(m)) * determinant(mat2x2(1, 2, 3, 4));
  let t = textureLoad(by, at, 0) * subgroupAdd(f32(at.x));
  textureStore(painted, at % textureDimensions(painted), vec4i(t));
  return vec3f(turn * t.xyz, f32(bitcast<u32>(vec2h(m[1].xy)))) + frexp(t.xyz).fract;
}

@diagnostic(off, subgroup_uniformity)
fn wide(a: i64, b: u64) -> i64 {
  var v = vec3<i64>(a, -9223372036854775807li - 1li, i64(b / 3lu) >> 33u);
  v.zx = v.yz * 2;
  v.xy -= vec2(i64(countLeadingZeros(b)), a % v.z);
  if (v.x < 4294967296) { v.x = i64(subgroupShuffleUp(f32(a), u32(b))); }
  return v.x + select(v.y, i64(1e18), bool(v.z));
}

fn blend(a: f32, b: f32, at: ptr<function, f32>) -> f32 {
  *at += fma(a, 0.25, b) * 1e-3;
  if (a < b) { return select(a, b, a == 0.0); }
  return max(a, *at);
}

/* the entry point
   /* nested */ */
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: Index) {
  var sum = 0.0;
  for (var i = 0u; i < arrayLength(&source); i++) {
    if (i % 3u == 1u) { continue; }
    sum = blend(source[i].x, source[i].wz.y, &sum);
  }
  tile[lane] = sum * scale;
  workgroupBarrier();
  var k: i32 = kTable[lane & 3u];
  loop {
    k -= 1;
    switch (k) {
      case 0, 1: { break; }
      case default { k >>= 1u; }
    }
    continuing { break if k <= -5; }
  }
  while (k < 0) { k += i32(countOneBits(bitcast<u32>(k))) | 1; }
  let old = atomicAdd(&counts[min(id.x + id.y * params.width, limit)], u32(k) << 2u);
  sum += mixed(mat2x3h(), id.xy, picture).x;
  sum += f32(wide(i64(k), u64(lane)));
  _ = atomicMax(&counts[0], old ^ ~params.steps[1].y);
}
