// SPDX-License-Identifier: MIT OR Apache-2.0
// The failures that are known, each with its reason; a fault that is mended leaves this list.

/** @param {string} why @param {string[]} queries */
const fails = (why, queries) => queries.map(query => ({ query, expectation: 'fail', why }));

/** @param {string} space @param {number} batch @param {string} type */
const zeroInit = (space, batch, type) =>
  `webgpu:shader,execution,zero_init:compute,zero_init:addressSpace="${space}";` +
  `workgroupSize=[1,1,1];batch__=${batch};shaderTypeParam="${type}"`;

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
  ...fails('an array that is private to an invocation takes at most 8,192 bytes, as WGSL has it',
    ['private', 'function'].flatMap(space => [
      ...['mat3x3', 'mat4x3', 'mat3x4', 'mat4x4'].map(matrix =>
        zeroInit(space, 9, `array%3Carray%3C${matrix}%3Cf32%3E,%2067%3E,%203%3E`)),
      ...[[19, 'mat3x3', 'mat4x3', 'mat2x4'], [21, 'mat2x4', 'mat4x3', 'mat3x3'],
        [23, 'mat3x4', 'mat4x3', 'mat2x4'], [25, 'mat2x4', 'mat4x4', 'mat3x4'],
        [25, 'mat2x3', 'mat4x3', 'mat3x3'], [26, 'mat3x3', 'mat4x3', 'mat2x3'],
        [26, 'mat3x4', 'mat4x4', 'mat2x4'], [28, 'mat2x4', 'mat4x3', 'mat3x4'],
      ].map(([batch, ...of]) => zeroInit(space, batch, 'struct%20{%20' +
        of.map(m => `array%3C${m}%3Cf32%3E,%2067%3E`).join(',%20') + '%20}')),
    ])),
];
