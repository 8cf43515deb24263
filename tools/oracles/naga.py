#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What naga says of WGSL, and what the bare WebGPU API makes of it, in the executor protocol of
tests/conformance/cts/README.md: info, compile, pipeline and run.  naga and the API come with the
package `wgpu` of PyPI.
"""
import base64
import json
import re
import sys

import wgpu

FEATURES = {"shader-f16": "f16", "subgroups": "subgroups"}  # and the extension of each
DECLARED = re.compile(r"@group\(\s*(\d+)\w*\s*\)\s*@binding\(\s*(\d+)\w*\s*\)\s*var\s*<\s*(\w+)\s*(?:,\s*(\w+))?")
REST = 256  # zeros behind what is bound, so that odd sizes can be bound


def first_line(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[-1])


class Failure(Exception):
    def __init__(self, stage, error):
        super().__init__(f"{stage}: {error}")
        self.told = {"ok": False, "stage": stage, "error": error}


class Bare:
    def __init__(self):
        adapter = wgpu.gpu.request_adapter_sync()
        self.features = [f for f in FEATURES if f in adapter.features or FEATURES[f] in adapter.features]
        wanted = [f for f in adapter.features if f.startswith(("shader-", "subgroup", "float"))]
        self.device = adapter.request_device_sync(required_features=wanted)

    def info(self, _):
        return {"name": "wgpu-native", "ops": ["info", "compile", "pipeline", "run"],
                "features": self.features, "wgslLanguageFeatures": [], "limits": {}}

    def compile(self, request):
        self.module(request)
        return {"messages": []}

    def pipeline(self, request):
        self.pipeline_of(request)
        return {}

    def module(self, request):
        text = request["wgsl"]
        for feature, extension in FEATURES.items():
            if feature not in request.get("features", []) and re.search(
                    rf"^\s*enable\b[^;]*\b{extension}\b", text, re.M):
                raise Failure("compile", f"the device lacks {feature}")
        try:
            return self.device.create_shader_module(code=text)
        except wgpu.GPUError as error:
            raise Failure("compile", first_line(error)) from error

    def pipeline_of(self, request):
        compute = {"module": self.module(request)}
        if request.get("entry"):
            compute["entry_point"] = request["entry"]
        if request.get("constants"):
            compute["constants"] = request["constants"]
        try:
            groups = self.groups_of(request["wgsl"])
            layout = self.device.create_pipeline_layout(bind_group_layouts=groups)
            return self.device.create_compute_pipeline(layout=layout, compute=compute), groups
        except (wgpu.GPUError, RuntimeError) as error:
            raise Failure("pipeline", first_line(error)) from error

    def groups_of(self, text):
        """The layout of every buffer that the text declares, used or not."""
        entries = {}
        for group, binding, space, access in DECLARED.findall(text):
            kind = ("uniform" if space == "uniform" else
                    "storage" if access == "read_write" else "read-only-storage")
            entries.setdefault(int(group), []).append(
                {"binding": int(binding), "visibility": wgpu.ShaderStage.COMPUTE,
                 "buffer": {"type": kind}})
        return [self.device.create_bind_group_layout(entries=entries.get(group, []))
                for group in range(max(entries, default=-1) + 1)]

    def run(self, request):
        pipeline, layouts = self.pipeline_of(request)
        try:
            return {"bindings": self.dispatch(pipeline, layouts, request)}
        except (wgpu.GPUError, RuntimeError) as error:
            raise Failure("run", first_line(error)) from error

    def dispatch(self, pipeline, layouts, request):
        bound = [(b["group"], b["binding"], base64.b64decode(b["data"])) for b in request["bindings"]]
        usage = wgpu.BufferUsage
        encoder = self.device.create_command_encoder()
        work = encoder.begin_compute_pass()
        work.set_pipeline(pipeline)
        buffers, groups = [], [[] for _ in layouts]
        for group, binding, data in bound:
            size = (len(data) + 3) // 4 * 4
            buffer = self.device.create_buffer_with_data(
                data=data + bytes(size - len(data) + REST),
                usage=usage.STORAGE | usage.UNIFORM | usage.COPY_SRC)
            buffers.append(buffer)
            groups[group].append(
                {"binding": binding, "resource": {"buffer": buffer, "offset": 0, "size": size or 4}})
        for group, entries in enumerate(groups):
            work.set_bind_group(group, self.device.create_bind_group(
                layout=layouts[group], entries=entries))
        work.dispatch_workgroups(*request["workgroups"])
        work.end()
        self.device.queue.submit([encoder.finish()])
        return [{"group": group, "binding": binding, "data": base64.b64encode(
            bytes(self.device.queue.read_buffer(buffer))[:len(data)]).decode()}
            for (group, binding, data), buffer in zip(bound, buffers)]


def main():
    bare = Bare()
    ops = {"info": bare.info, "compile": bare.compile, "pipeline": bare.pipeline, "run": bare.run}
    for line in sys.stdin:
        request = json.loads(line)
        try:
            reply = {"ok": True, **ops[request["op"]](request)}
        except Failure as failure:
            reply = failure.told
        print(json.dumps({"id": request["id"], **reply}), flush=True)


if __name__ == "__main__":
    main()
