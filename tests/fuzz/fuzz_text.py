#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs random WGSL texts through executors, and compares what they answer.

    fuzz_text.py [--count 100] [--seed 1] [--wide] [--groups [--outside]] [--judge COMMAND]
                 [--keep FOLDER] EXECUTOR EXECUTOR…

Each executor speaks the conformance suite's protocol: `build/release/vyre-executor cpu`, the same on
`wgpu`, `python3 tools/oracles/naga.py`.  The judge (`node tools/oracles/tint.mjs`) says which texts
are valid; without one those are left out that all refuse.  Status 1 when an executor refuses a valid
text, or its answer differs from the first's; a device may lack what a text needs.  Without `wgpu` in VYRE_REQUIRE_DEVICES an executor may
be missing.
"""
import argparse
import base64
import json
import os
import pathlib
import random
import shlex
import subprocess
import sys

import random_kernels
import random_wgsl


class Executor:
    def __init__(self, command):
        self.command = command
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        print(json.dumps({"id": 0, **request}), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            self.__init__(self.command)
            return {"ok": False, "stage": "crash", "error": "the executor died"}
        return json.loads(line)


def is_there(executor):
    """False for one whose device this machine lacks, if it may."""
    told = executor.ask(op="info")
    needed = "wgpu" in os.environ.get("VYRE_REQUIRE_DEVICES", "") or executor.command.endswith("cpu")
    if not told["ok"] and needed:
        sys.exit(f"{executor.command}: {told['error']}")
    return told["ok"]


def request_of(module, seed):
    data = module.buffers(random.Random(f"bytes {seed}"))
    bindings = [{"group": 0, "binding": i, "data": base64.b64encode(d).decode()}
                for i, d in enumerate(data)]
    return {"entry": "main", "workgroups": list(module.grid), "bindings": bindings}


def told(answer):
    """What an answer amounts to: the bytes, or why there are none."""
    if answer["ok"]:
        return tuple(binding["data"] for binding in answer["bindings"])
    return f"{answer['stage']}: {answer['error'].splitlines()[0][:200]}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executors", nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judge")
    parser.add_argument("--wide", action="store_true", help="with integers of 64 bits")
    parser.add_argument("--groups", action="store_true", help="with many invocations in workgroups")
    parser.add_argument("--outside", action="store_true",
                        help="these index private arrays out of bounds too, which engines do as they like")
    parser.add_argument("--driver-faults", type=int, nargs="+", default=[], metavar="SEED",
                        help="texts that a driver is known to get wrong: they are shown, and not counted")
    parser.add_argument("--keep", type=pathlib.Path, help="where the texts that differ are written")
    options = parser.parse_args()
    executors = [e for e in map(Executor, options.executors) if is_there(e)]
    judge = Executor(options.judge) if options.judge else None
    valid = differ = 0
    for seed in range(options.seed, options.seed + options.count):
        if options.groups:
            module = random_kernels.Kernel(random.Random(seed), options.wide, options.outside)
        else:
            module = random_wgsl.Module(random.Random(seed), options.wide)
        text = module.text()
        if judge and not judge.ask(op="compile", wgsl=text, features=[])["ok"]:
            continue
        answers = [told(e.ask(op="run", wgsl=text, **request_of(module, seed))) for e in executors]
        answers = [a for a in answers if "needs-capability" not in a]
        if not judge and all(isinstance(a, str) and a.startswith("compile:") for a in answers):
            continue
        valid += 1
        if len(set(answers)) <= 1 and not isinstance(answers[0], str):
            continue
        differ += seed not in options.driver_faults
        print(f"seed {seed}:", *(a if isinstance(a, str) else a[1] for a in answers), sep="\n  ", flush=True)
        if options.keep:
            options.keep.mkdir(exist_ok=True)
            (options.keep / f"{seed}.wgsl").write_text(text)
    print(f"{valid} valid texts of {options.count}, {differ} that differ")
    return 1 if differ or valid * 2 < options.count else 0


if __name__ == "__main__":
    sys.exit(main())
