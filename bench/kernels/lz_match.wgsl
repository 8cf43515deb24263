// For every byte, how long the text that follows it was seen before, and how far back: at most
// `MAX_LENGTH` bytes, at most `MAX_BACK` back; the nearest of the longest.
@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read_write> matches: array<u32>;  // length << 16 | back

const MAX_LENGTH = 16u;
const MAX_BACK = 32u;

fn byte_at(i: u32) -> u32 { return (text[i / 4u] >> (8u * (i % 4u))) & 0xffu; }

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let i = id.x;
  let count = arrayLength(&text) * 4u;
  if (i >= count) { return; }
  let limit = min(MAX_LENGTH, count - i);
  var best = 0u;
  var best_back = 0u;
  for (var back = 1u; back <= min(MAX_BACK, i); back++) {
    var length = 0u;
    while (length < limit && byte_at(i + length) == byte_at(i + length - back)) { length++; }
    if (length > best) {
      best = length;
      best_back = back;
    }
  }
  matches[i] = (best << 16u) | best_back;
}
