// SPDX-License-Identifier: MIT OR Apache-2.0
// The failures that are known, each with its reason; a fault that is mended leaves this list.

/** @param {string} why @param {string[]} queries */
const fails = (why, queries) => queries.map(query => ({ query, expectation: 'fail', why }));

export const expectations = [
  ...fails('subgroups come in two dialects, and both are taken: with the directive and without', [
    'quadBroadcast', 'quadSwap', 'subgroupAdd', 'subgroupAnyAll', 'subgroupBallot',
    'subgroupBitwise', 'subgroupBroadcast', 'subgroupBroadcastFirst', 'subgroupElect',
    'subgroupMinMax', 'subgroupMul', 'subgroupShuffle',
  ].map(name => `webgpu:shader,validation,expression,call,builtin,${name}:requires_subgroups:enable=false;*`)),
  ...fails('a text may begin with a byte order mark', [
    'webgpu:shader,validation,parse,blankspace:bom:include_bom=true',
  ]),
  ...fails('`@invariant` means nothing to a compute shader, and is left', [
    'webgpu:shader,validation,shader_io,invariant:valid_only_with_vertex_position_builtin:*',
    'webgpu:shader,validation,shader_io,invariant:' +
      'valid_only_with_position_in_non_entry_point_struct:has_position=false',
  ]),
  ...fails('uniformity is judged in what an entry point reaches, and a variable that nothing ' +
    'writes is uniform', [
    'webgpu:shader,validation,uniformity,uniformity:uniform_subgroup_ops:*',
    'webgpu:shader,validation,uniformity,uniformity:subgroups,parameters:*',
  ]),
  ...fails('names of built-in values may be declared', [
    'webgpu:shader,validation,shader_io,builtins:reuse_builtin_name:name="subgroup_id";*',
    'webgpu:shader,validation,shader_io,builtins:reuse_builtin_name:name="num_subgroups";*',
  ]),
  ...fails('`textureBarrier` needs no language feature', [
    'webgpu:shader,validation,extension,readonly_and_readwrite_storage_textures:textureBarrier:*',
  ]),
];
