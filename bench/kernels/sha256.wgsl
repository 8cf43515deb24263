// SHA-256 (FIPS 180-4) of messages of one block each: 16 big-endian words in, 8 out.
@group(0) @binding(0) var<storage, read> messages: array<array<u32, 16>>;
@group(0) @binding(1) var<storage, read_write> digests: array<array<u32, 8>>;

const K = array<u32, 64>(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2);

fn rotate_right(x: u32, n: u32) -> u32 { return (x >> n) | (x << (32u - n)); }

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  if (id.x >= arrayLength(&messages)) { return; }
  var w = messages[id.x];
  var state = array<u32, 8>(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
  var a = state[0]; var b = state[1]; var c = state[2]; var d = state[3];
  var e = state[4]; var f = state[5]; var g = state[6]; var h = state[7];
  for (var i = 0u; i < 64u; i++) {
    if (i >= 16u) {
      let w15 = w[(i + 1u) & 15u];
      let w2 = w[(i + 14u) & 15u];
      let s0 = rotate_right(w15, 7u) ^ rotate_right(w15, 18u) ^ (w15 >> 3u);
      let s1 = rotate_right(w2, 17u) ^ rotate_right(w2, 19u) ^ (w2 >> 10u);
      w[i & 15u] += s0 + w[(i + 9u) & 15u] + s1;
    }
    let s1 = rotate_right(e, 6u) ^ rotate_right(e, 11u) ^ rotate_right(e, 25u);
    let t1 = h + s1 + ((e & f) ^ (~e & g)) + K[i] + w[i & 15u];
    let s0 = rotate_right(a, 2u) ^ rotate_right(a, 13u) ^ rotate_right(a, 22u);
    let t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g; g = f; f = e; e = d + t1;
    d = c; c = b; b = a; a = t1 + t2;
  }
  digests[id.x] = array<u32, 8>(state[0] + a, state[1] + b, state[2] + c, state[3] + d,
                                state[4] + e, state[5] + f, state[6] + g, state[7] + h);
}
