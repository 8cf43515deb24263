// c = a * b of signed bytes, four to a word along k; b is stored by columns.
struct Dims { m: u32, n: u32, words: u32 }
@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> c: array<i32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.y >= dims.m || id.x >= dims.n) { return; }
  var acc = 0i;
  for (var i = 0u; i < dims.words; i++) {
    acc += dot4I8Packed(a[id.y * dims.words + i], b[id.x * dims.words + i]);
  }
  c[id.y * dims.n + id.x] = acc;
}
