// SPDX-License-Identifier: MIT OR Apache-2.0
// What Tint says of WGSL, and what Dawn makes of it.
//
//   node tint.mjs FILE    prints the messages; status 1 if the text is refused
//   node tint.mjs         speaks the executor protocol (tests/conformance/cts/README.md)
//
// Dawn is the package `webgpu` of npm; WEBGPU_PACKAGE names its folder if node does not find it.
// Its null backend runs nothing: DAWN_BACKEND=vulkan takes a driver that has what it asks for.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import readline from 'node:readline';

const where = process.env.WEBGPU_PACKAGE;
const { create, globals } = await import(where ? pathToFileURL(`${where}/index.js`) : 'webgpu');
Object.assign(globalThis, globals);
const backend = process.env.DAWN_BACKEND ?? 'null';
const gpu = create([`backend=${backend}`, 'enable-dawn-features=allow_unsafe_apis']);
const kOptional = ['shader-f16', 'subgroups', 'clip-distances', 'dual-source-blending', 'primitive-index'];
const devices = new Map();
const adapterFeatures = (await gpu.requestAdapter()).features;
const kFeatures = kOptional.filter((feature) => adapterFeatures.has(feature));

async function deviceWith(features) {
  const wanted = kFeatures.filter((feature) => features.includes(feature));
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
  const groups = groupsOf(device, request.wgsl);
  let pipeline;
  try {
    const layout = device.createPipelineLayout({ bindGroupLayouts: groups });
    pipeline = device.createComputePipeline({ layout, compute });
  } catch (error) {
    fail(reply, 'pipeline', String(error));
  }
  const fault = await device.popErrorScope();
  if (fault) fail(reply, 'pipeline', fault.message);
  return reply.ok ? [device, pipeline, groups] : undefined;
}

// The layout of every buffer that the text declares, used or not.
function groupsOf(device, text) {
  const declared = /@group\(\s*(\d+)\w*\s*\)\s*@binding\(\s*(\d+)\w*\s*\)\s*var\s*<\s*(\w+)\s*(?:,\s*(\w+))?/g;
  const entries = [];
  for (const [, group, binding, space, access] of text.matchAll(declared)) {
    const type = space === 'uniform' ? 'uniform' : access === 'read_write' ? 'storage' : 'read-only-storage';
    const visibility = GPUShaderStage.COMPUTE;
    (entries[Number(group)] ??= []).push({ binding: Number(binding), visibility, buffer: { type } });
  }
  return Array.from(entries, (of) => device.createBindGroupLayout({ entries: of ?? [] }));
}

async function run(request, reply) {
  const made = await pipelineOf(request, reply);
  if (!made) return;
  const [device, pipeline, groups] = made;
  device.pushErrorScope('validation');
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const buffers = request.bindings.map(({ group, binding, data }) => bufferOf(device, group, binding, data));
  groups.forEach((layout, index) => {
    const entries = buffers.filter(({ group }) => group === index)
      .map(({ binding, buffer, size }) => ({ binding, resource: { buffer, size } }));
    pass.setBindGroup(index, device.createBindGroup({ layout, entries }));
  });
  pass.dispatchWorkgroups(...request.workgroups);
  pass.end();
  for (const { buffer, back, room } of buffers) encoder.copyBufferToBuffer(buffer, 0, back, 0, room);
  device.queue.submit([encoder.finish()]);
  const fault = await device.popErrorScope();
  if (fault) return fail(reply, 'run', fault.message);
  reply.bindings = [];
  for (const { group, binding, back, length } of buffers) {
    await back.mapAsync(GPUMapMode.READ);
    const data = Buffer.from(back.getMappedRange()).subarray(0, length).toString('base64');
    reply.bindings.push({ group, binding, data });
    back.destroy();
  }
}

// With zeros behind it, so that odd sizes can be bound.
function bufferOf(device, group, binding, data) {
  const bytes = Buffer.from(data, 'base64');
  const size = Math.max(4, Math.ceil(bytes.length / 4) * 4);
  const room = size + 256;
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: room, usage });
  device.queue.writeBuffer(buffer, 0, Buffer.concat([bytes, Buffer.alloc(size - bytes.length)]));
  const back = device.createBuffer({ size: room, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  return { group, binding, buffer, back, size, room, length: bytes.length };
}

function fail(reply, stage, error) {
  Object.assign(reply, { ok: false, stage, error });
}

async function answer(request) {
  const reply = { id: request.id, ok: true };
  switch (request.op) {
    case 'info':
      Object.assign(reply, { name: `Dawn on ${backend}`, features: kFeatures });
      reply.ops = ['info', 'compile', 'pipeline', ...(backend === 'null' ? [] : ['run'])];
      Object.assign(reply, { wgslLanguageFeatures: Array.from(gpu.wgslLanguageFeatures), limits: {} });
      break;
    case 'compile': await moduleOf(request, reply); break;
    case 'pipeline': await pipelineOf(request, reply); break;
    case 'run': await run(request, reply); break;
    default: fail(reply, 'unsupported', `there is no op ${request.op}`);
  }
  return reply;
}

const file = process.argv[2];
if (file) {
  const reply = await answer({ op: 'compile', wgsl: readFileSync(file, 'utf8'), features: kFeatures });
  for (const { type, lineNum, linePos, message } of reply.messages) console.log(`${file}:${lineNum}:${linePos}: ${type}: ${message}`);
  process.exit(reply.ok ? 0 : 1);
}
for await (const line of readline.createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(JSON.parse(line)))}\n`);
}
process.exit(0);
