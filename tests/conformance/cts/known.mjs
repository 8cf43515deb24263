// SPDX-License-Identifier: MIT OR Apache-2.0
// The failures that are known, each with its reason; a fault that is mended leaves this list.

const builtin = 'webgpu:shader,execution,expression,call,builtin,';

/** @param {string} why @param {string[]} queries */
const fails = (why, queries) => queries.map(query => ({ query, expectation: 'fail', why }));

export const expectations = [
  ...fails('subgroup operations must be reached uniformly, whatever `diagnostic` says', [
    ...['quadBroadcast', 'quadSwap', 'subgroupAdd', 'subgroupAll', 'subgroupAny', 'subgroupBallot',
      'subgroupBitwise', 'subgroupBroadcast', 'subgroupElect', 'subgroupMinMax', 'subgroupMul',
      'subgroupShuffle'].map(name => `${builtin}${name}:compute,split:*`),
    `${builtin}subgroupBallot:predicate_and_control_flow:*`,
    `${builtin}subgroupBroadcast:broadcastFirst,split:*`,
    `${builtin}subgroupBroadcast:compute,all_active:*`,
    `${builtin}subgroupElect:compute,each_invocation:*`,
  ]),
  ...fails('so must the distance of a shuffle be uniform', [
    `${builtin}subgroupShuffle:compute,all_active:*`,
  ]),
];
