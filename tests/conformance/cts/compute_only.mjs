// SPDX-License-Identifier: MIT OR Apache-2.0
// Modules of the uniformity tests as a front end of compute shaders can take them.
//
// Most of them are fragment shaders, or declare samplers and textures that a compute shader leaves
// unused.  What needs uniform control flow there, sampling and derivatives, becomes a subgroup
// operation whose result is as non-uniform; the filter of its rule becomes that of subgroups.  The
// format of a texture that is read and written becomes one that every device can do that with.

/** What a call of a derivative or of sampling becomes, by what it returns. */
const kScalar = 'subgroupExclusiveAdd(1.0)';
const kVector = `vec4f(${kScalar})`;

const kCollective = /\b(dpd[xy](?:Coarse|Fine)?|fwidth(?:Coarse|Fine)?|textureSample(?:Bias|Compare)?)\s*\(/;

/** The text with the calls of `pattern` replaced: `by` takes the function's name. */
function replaceCalls(code, pattern, by) {
  for (let found = pattern.exec(code); found; found = pattern.exec(code)) {
    let end = found.index + found[0].length;
    for (let depth = 1; depth > 0 && end < code.length; end++) depth += code[end] === '(' ? 1 : code[end] === ')' ? -1 : 0;
    code = code.slice(0, found.index) + by(found[1]) + code.slice(end);
  }
  return code;
}

/** Drops the declarations of samplers and textures that nothing names. */
function dropUnused(code) {
  const declaration = /@group\(\d+\)\s*@binding\(\d+\)\s*var\s+(\w+)\s*:\s*(?:sampler\w*|texture_\w+(?:<[^>]*>)?)\s*;/g;
  return code.replace(declaration, (text, name) => (code.match(new RegExp(`\\b${name}\\b`, 'g')).length === 1 ? '' : text));
}

/** @param {string} code */
export function computeOnly(code) {
  if (!/@(compute|fragment)\b/.test(code)) return code;
  const fragment = /@fragment\b/.test(code);
  if (fragment) {
    code = replaceCalls(code, kCollective, name => (/^textureSample(Bias)?$/.test(name) ? kVector : kScalar));
    code = code.replace(/@fragment\b/, '@compute @workgroup_size(16)')
      .replace(/@builtin\(position\)\s*(\w+)\s*:\s*vec4(?:<f32>|f)/, '@builtin(global_invocation_id) $1 : vec3<u32>')
      .replaceAll('derivative_uniformity', 'subgroup_uniformity');
    code = code.replace(/clamp\((\w+)\.x, 0, 1\)/g, 'min($1.x, 1)');
  }
  return dropUnused(code).replace(/(texture_storage_2d<)\w+(, read_write>)/g, '$1r32float$2');
}
