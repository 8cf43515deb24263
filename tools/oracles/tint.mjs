// SPDX-License-Identifier: MIT OR Apache-2.0
// What Tint says of WGSL, through Dawn's null backend: nothing runs.
//
//   node tint.mjs FILE    prints the messages; status 1 if the text is refused
//   node tint.mjs         speaks the executor protocol (tests/conformance/cts/README.md):
//                         info, compile and pipeline
//
// Dawn is the package `webgpu` of npm; WEBGPU_PACKAGE names its folder if node does not find it.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import readline from 'node:readline';

const where = process.env.WEBGPU_PACKAGE;
const { create, globals } = await import(where ? pathToFileURL(`${where}/index.js`) : 'webgpu');
Object.assign(globalThis, globals);
const gpu = create(['backend=null', 'enable-dawn-features=allow_unsafe_apis']);
const kOptional = ['shader-f16', 'subgroups', 'clip-distances', 'dual-source-blending', 'primitive-index'];
const devices = new Map();

async function deviceWith(features) {
  const wanted = kOptional.filter((feature) => features.includes(feature));
  const key = wanted.join(' ');
  if (!devices.has(key)) {
    const adapter = await gpu.requestAdapter();
    devices.set(key, await adapter.requestDevice({ requiredFeatures: wanted }));
  }
  return devices.get(key);
}

async function moduleOf(request, reply) {
  const device = await deviceWith(request.features ?? []);
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: request.wgsl });
  const { messages } = await module.getCompilationInfo();
  await device.popErrorScope();
  const told = Array.from(messages, ({ type, message, lineNum, linePos }) => ({ type, message, lineNum, linePos }));
  const error = told.find(({ type }) => type === 'error');
  if (request.op === 'compile') reply.messages = told;
  if (error) return fail(reply, 'compile', `${error.lineNum}:${error.linePos}: ${error.message}`);
  return [device, module];
}

async function pipelineOf(request, reply) {
  const made = await moduleOf(request, reply);
  if (!made) return;
  const [device, module] = made;
  device.pushErrorScope('validation');
  const compute = { module, constants: request.constants ?? {} };
  if (request.entry) compute.entryPoint = request.entry;
  try {
    device.createComputePipeline({ layout: 'auto', compute });
  } catch (error) {
    fail(reply, 'pipeline', String(error));
  }
  const fault = await device.popErrorScope();
  if (fault) fail(reply, 'pipeline', fault.message);
}

function fail(reply, stage, error) {
  Object.assign(reply, { ok: false, stage, error });
}

async function answer(request) {
  const reply = { id: request.id, ok: true };
  switch (request.op) {
    case 'info':
      Object.assign(reply, { name: 'Tint', ops: ['info', 'compile', 'pipeline'], features: kOptional });
      Object.assign(reply, { wgslLanguageFeatures: Array.from(gpu.wgslLanguageFeatures), limits: {} });
      break;
    case 'compile': await moduleOf(request, reply); break;
    case 'pipeline': await pipelineOf(request, reply); break;
    default: fail(reply, 'unsupported', `Tint does not ${request.op}`);
  }
  return reply;
}

const file = process.argv[2];
if (file) {
  const reply = await answer({ op: 'compile', wgsl: readFileSync(file, 'utf8'), features: kOptional });
  for (const { type, lineNum, linePos, message } of reply.messages) console.log(`${file}:${lineNum}:${linePos}: ${type}: ${message}`);
  process.exit(reply.ok ? 0 : 1);
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
process.exit(0);
