#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compares which texts the front end takes with those that another takes.

    compare_texts.py EXECUTOR ORACLE FOLDER [--damaged 0] [--seed 1] [--show 20]

Both are commands that speak the conformance suite's executor protocol: `build/release/vyre-executor
cpu`, and `node tools/oracles/tint.mjs` or `python3 tools/oracles/naga.py`.  Every .wgsl file below
FOLDER is judged, and with --damaged so many copies of them in which a token is dropped, swapped or
replaced, mostly by one like it.  Prints the counts, and of each kind of disagreement some texts'
first faults.  A difference is not a fault by itself: each has texts that it is wrong about.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import shlex
import subprocess

TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|//[^\n]*|\s+|&&|\|\||[-+*/%=<>!]=|->|\S")
OTHERS = ("0", "1u", "2.5", "true", "vec3f()", "f32", "u32", "array<u32, 4>", "var", "let", "&", "*",
          ".x", "[9]", "return", "break", "@align(8)", "workgroup", "<", "+")

OPERATORS = set("+ - * / % & | ^ < > == != <= >= && || =".split())


class Executor:
    def __init__(self, command):
        self.process = subprocess.Popen(shlex.split(command), stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def fault(self, text):
        request = {"id": 0, "op": "compile", "wgsl": text, "features": ["shader-f16", "subgroups"]}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer.get("error", "fault").strip() if not answer["ok"] else None


def class_of(token):
    if token[0].isalpha() or token[0] == "_":
        return "name"
    return "number" if token[0].isdigit() else "operator" if token in OPERATORS else token


def damaged(generator, text):
    tokens = TOKEN.findall(text)
    solid = [i for i, token in enumerate(tokens) if not token.isspace() and token[:2] != "//"]
    at, other = generator.choice(solid), generator.choice(solid)
    kind = generator.randrange(8)
    if kind == 0:
        tokens[at] = ""
    elif kind == 1:
        tokens[at] = generator.choice(OTHERS)
    elif kind == 2:
        tokens[at], tokens[other] = tokens[other], tokens[at]
    else:  # one like it: mostly still grammatical
        alike = [i for i in solid if class_of(tokens[i]) == class_of(tokens[at])]
        tokens[at] = tokens[generator.choice(alike)]
    return "".join(tokens)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("executor")
    parser.add_argument("oracle")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--damaged", type=int, default=0)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--keep", type=pathlib.Path, help="where the texts that differ are written")
    options = parser.parse_args()
    generator = random.Random(options.seed)
    files = sorted(options.folder.rglob("*.wgsl"))
    texts = [(f.name, f.read_text(errors="replace")) for f in files]
    texts += [(f"damaged {i}", damaged(generator, generator.choice(texts)[1]))
              for i in range(options.damaged)]
    ours, theirs = Executor(options.executor), Executor(options.oracle)
    counts, shown = collections.Counter(), collections.Counter()
    for name, text in texts:
        mine, other = ours.fault(text), theirs.fault(text)
        kind = ("both take" if not mine and not other else "both refuse" if mine and other
                else "vyre refuses" if mine else "the other refuses")
        counts[kind] += 1
        if bool(mine) == bool(other):
            continue
        if options.keep:
            options.keep.mkdir(exist_ok=True)
            (options.keep / f"{kind} {name}.wgsl".replace(" ", "_")).write_text(text)
        if shown[kind] < options.show:
            shown[kind] += 1
            print(f"{kind}: {name}: {(mine or other).splitlines()[0]}")
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))


if __name__ == "__main__":
    main()
