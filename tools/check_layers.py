#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks the shape of the house: usage `check_layers.py [ROOT]`, or `--self-test`.

Fails on
  * an include of a higher layer, or of a header of a private folder (a backend) from outside it;
  * an include that names nothing from include/ or src/;
  * a cycle between folders;
  * a file of more than 600 lines.
"""
import pathlib
import re
import sys
import tempfile

LAYERS = ["base", "ir", "interpreter", "analysis", "validate", "wgsl", "lower", "emit", "runtime", "backend", "bench", "cli"]
MAX_LINES = 600
INCLUDE = re.compile(r'\s*#\s*include\s*"([^"]+)"')
GENERATED = {"backend/backends.inc", "runtime/emitter_version.inc"}
ROOMS = ["include", "src", "tests", "bench", "examples", "tools", "python"]


def folder_of(path):
    """The folder of a path below src/: "ir", "backend", "backend/cpu"."""
    return "/".join(path.parts[:-1])


def layer_of(folder):
    return folder.split("/")[0]


def is_private(folder):
    return folder.startswith("backend/")


def include_fault(mine, target):
    """Why a file in folder `mine` may not include `target`, both below src/; or None."""
    theirs = folder_of(target)
    if layer_of(theirs) not in LAYERS:
        return "is in no layer"
    if LAYERS.index(layer_of(theirs)) > LAYERS.index(layer_of(mine)):
        return f"is of a higher layer than {mine}"
    if is_private(theirs) and theirs != mine and not mine.startswith(theirs + "/"):
        return f"is private to {theirs}"
    return None


def includes_of(path):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1]


def check_includes(root, faults, edges):
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".h", ".cpp", ".inc", ".def"}:
            continue
        mine = folder_of(path.relative_to(source))
        for number, name in includes_of(path):
            place = f"{path.relative_to(root)}:{number}"
            if (root / "include" / name).is_file() or name in GENERATED:
                continue
            if not (source / name).is_file():
                faults.append(f"{place}: {name} is no path from src/ or include/")
                continue
            target = pathlib.PurePath(name)
            if layer_of(mine) not in LAYERS:
                faults.append(f"{place}: {mine} is no layer")
            elif why := include_fault(mine, target):
                faults.append(f"{place}: {name} {why}")
            if folder_of(target) != mine:
                edges.setdefault(mine, {}).setdefault(folder_of(target), place)


def check_public_headers(root, faults):
    for path in sorted((root / "include").rglob("*")):
        for number, name in includes_of(path) if path.is_file() else ():
            if not (root / "include" / name).is_file():
                faults.append(f"{path.relative_to(root)}:{number}: {name} is not public")


def check_cycles(edges, faults):
    state = {}

    def visit(folder, trail):
        if state.get(folder) == "done":
            return
        if folder in trail:
            loop = trail[trail.index(folder):] + [folder]
            place = edges[trail[-1]][folder]
            faults.append(f"{place}: the folders form a cycle: {' -> '.join(loop)}")
            return
        for below in sorted(edges.get(folder, {})):
            visit(below, trail + [folder])
        state[folder] = "done"

    for folder in sorted(edges):
        visit(folder, [])


def check_lengths(root, faults):
    for room in ROOMS:
        for path in sorted((root / room).rglob("*")):
            if path.suffix not in {".h", ".cpp", ".py", ".def"}:
                continue
            count = len(path.read_text(errors="replace").splitlines())
            if count > MAX_LINES:
                faults.append(f"{path.relative_to(root)}: {count} lines, at most {MAX_LINES}")


def check(root):
    faults, edges = [], {}
    check_includes(root, faults, edges)
    check_public_headers(root, faults)
    check_cycles(edges, faults)
    check_lengths(root, faults)
    return faults


SELF_TEST = {
    "a tree in order": ({
        "include/vyre/vyre.h": '#include "vyre/type.h"\n',
        "include/vyre/type.h": "#include <string>\n",
        "src/base/check.h": "",
        "src/ir/program.h": '#include "base/check.h"\n#include "vyre/type.h"\n',
        "src/backend/backend.h": '#include "ir/program.h"\n',
        "src/backend/registry.cpp": '#include "backend/backends.inc"\n',
        "src/backend/cpu/device.h": '#include "backend/backend.h"\n',
        "src/backend/cpu/device.cpp": '#include "backend/cpu/device.h"\n',
    }, []),
    "a higher layer": ({
        "src/base/a.h": '#include "ir/b.h"\n',
        "src/ir/b.h": "",
    }, ["src/base/a.h:1: ir/b.h is of a higher layer than base"]),
    "another backend": ({
        "src/backend/cpu/a.h": "",
        "src/backend/wgpu/b.cpp": '\n#include "backend/cpu/a.h"\n',
    }, ["src/backend/wgpu/b.cpp:2: backend/cpu/a.h is private to backend/cpu"]),
    "a backend from outside": ({
        "src/backend/cpu/a.h": "",
        "src/backend/registry.cpp": '#include "backend/cpu/a.h"\n',
        "src/cli/run.cpp": '#include "backend/cpu/a.h"\n',
    }, ["src/backend/registry.cpp:1: backend/cpu/a.h is private to backend/cpu",
        "src/cli/run.cpp:1: backend/cpu/a.h is private to backend/cpu"]),
    "a cycle": ({
        "src/ir/a.h": '#include "ir/sub/b.h"\n',
        "src/ir/sub/b.h": '#include "ir/c.h"\n',
        "src/ir/c.h": "",
    }, ["src/ir/sub/b.h:1: the folders form a cycle: ir -> ir/sub -> ir"]),
    "no such header": ({
        "src/ir/a.cpp": '#include "a.h"\n',
        "src/ir/a.h": "",
    }, ["src/ir/a.cpp:1: a.h is no path from src/ or include/"]),
    "a folder outside the layers": ({
        "src/util/a.h": '#include "base/b.h"\n',
        "src/base/b.h": "",
    }, ["src/util/a.h:1: util is no layer"]),
    "a public header that needs a private one": ({
        "include/vyre/a.h": '#include "ir/b.h"\n',
        "src/ir/b.h": "",
    }, ["include/vyre/a.h:1: ir/b.h is not public"]),
    "a long file": ({
        "tests/unit/a_test.cpp": "\n" * 601,
        "src/ir/b.cpp": "\n" * 600,
    }, ["tests/unit/a_test.cpp: 601 lines, at most 600"]),
}


def self_test():
    failed = 0
    for name, (files, expected) in SELF_TEST.items():
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in files.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            faults = check(root)
        if faults != expected:
            failed += 1
            print(f"{name}: expected {expected}, got {faults}")
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1]
    faults = check(root)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
