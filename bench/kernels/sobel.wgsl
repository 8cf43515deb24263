// The edges of an image of four bytes a pixel, as a grey value a word.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;

fn grey(x: i32, y: i32) -> i32 {
  let cx = u32(clamp(x, 0, i32(params.width) - 1));
  let cy = u32(clamp(y, 0, i32(params.height) - 1));
  let rgba = src[cy * params.width + cx];
  return i32(((rgba & 0xff) * 77 + ((rgba >> 8) & 0xff) * 150 + ((rgba >> 16) & 0xff) * 29) >> 8);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.width || id.y >= params.height) { return; }
  let x = i32(id.x);
  let y = i32(id.y);
  let across = grey(x + 1, y - 1) + 2 * grey(x + 1, y) + grey(x + 1, y + 1) -
               grey(x - 1, y - 1) - 2 * grey(x - 1, y) - grey(x - 1, y + 1);
  let down = grey(x - 1, y + 1) + 2 * grey(x, y + 1) + grey(x + 1, y + 1) -
             grey(x - 1, y - 1) - 2 * grey(x, y - 1) - grey(x + 1, y - 1);
  dst[id.y * params.width + id.x] = u32(min(abs(across) + abs(down), 255));
}
