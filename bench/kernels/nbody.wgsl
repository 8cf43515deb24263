// The pull of every body on every other, a tile of bodies at a time; w is the mass.
@group(0) @binding(0) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> pulls: array<vec4f>;

const TILE = 256u;
var<workgroup> tile: array<vec4f, TILE>;

@compute @workgroup_size(TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) lane: u32) {
  let count = arrayLength(&bodies);
  var me = vec3f();
  if (id.x < count) { me = bodies[id.x].xyz; }
  var pull = vec3f();
  for (var start = 0u; start < count; start += TILE) {
    tile[lane] = vec4f();
    if (start + lane < count) { tile[lane] = bodies[start + lane]; }
    workgroupBarrier();
    for (var i = 0u; i < TILE; i++) {
      let away = tile[i].xyz - me;
      let inverse = inverseSqrt(dot(away, away) + 1e-3);
      pull += away * (tile[i].w * inverse * inverse * inverse);
    }
    workgroupBarrier();
  }
  if (id.x < count) { pulls[id.x] = vec4f(pull, 0.0); }
}
