// One generation of Conway's Game of Life on a torus, a word a cell.
struct Params { width: u32, height: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> cells: array<u32>;
@group(0) @binding(2) var<storage, read_write> next: array<u32>;

fn cell(x: u32, y: u32) -> u32 { return cells[(y % params.height) * params.width + x % params.width]; }

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= params.width || id.y >= params.height) { return; }
  let west = id.x + params.width - 1u;
  let north = id.y + params.height - 1u;
  let around = cell(west, north) + cell(id.x, north) + cell(id.x + 1u, north) +
               cell(west, id.y) + cell(id.x + 1u, id.y) +
               cell(west, id.y + 1u) + cell(id.x, id.y + 1u) + cell(id.x + 1u, id.y + 1u);
  let alive = around == 3u || (around == 2u && cell(id.x, id.y) == 1u);
  next[id.y * params.width + id.x] = select(0u, 1u, alive);
}
