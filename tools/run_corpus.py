#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks every kernel of a folder, and runs it on two devices with the same random inputs.

    run_corpus.py VYRE FOLDER [--device wgpu] [--jobs 1] [--seed 1] [--oracle 'tint {}']

Each .wgsl file below FOLDER is a text of its own.  With --oracle, a file that the command refuses
need not be accepted.  Entry points that need values of overrides get 1.  Status 1 when a file is
refused that should not be, or two answers differ.  A kernel that takes counts or commands from its
buffers may not end on random ones, and one with a race may differ: both are for people to judge.
"""
import argparse
import concurrent.futures
import pathlib
import random
import re
import shlex
import struct
import subprocess
import sys
import tempfile

TIME_LIMIT_S = 150
DEADLINES_S = {"cpu": 30}  # a software driver may compile for a minute
DEADLINE_S = 120
WORDS = 1024
ENTRY = re.compile(r"@compute\b[^{;]*?\bfn\s+(\w+)", re.S)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
MEMBER = re.compile(r"@(\d+): (?:\w+<)*(\w+)")
BUFFER = re.compile(r"^(storage|uniform) (\S+) @group\(\d+\) @binding\(\d+\) (\w+): (.*)$", re.M)


def run(*command, **options):
    return subprocess.run(command, capture_output=True, timeout=TIME_LIMIT_S, **options)


def words(generator, layout):
    """Small integers, and floats from 0 to 1 where the layout says so."""
    members = {int(at) // 4: kind for at, kind in MEMBER.findall(layout)}
    only_floats = not re.search(r"\b[ui]32\b", layout)
    result, is_float = [], only_floats
    for i in range(WORDS):
        if not only_floats and "{" in layout:
            is_float = members.get(i, "f32" if is_float else "u32") in ("f32", "f16")
        number = struct.pack("<f", generator.random()) if is_float else struct.pack(
            "<I", generator.randrange(1, 9))
        result.append(struct.unpack("<I", number)[0])
    return result


def fill(vyre, kernel, entry, extra, folder, seed):
    """The options that give every buffer bytes, or why there are none."""
    told = run(vyre, "emit", kernel, "-t", "ir", "-e", entry, *extra)
    if told.returncode:
        return None, told.stderr.decode()
    flat = re.search(r"workgroup\(\d+, 1, 1\)", told.stdout.decode()) is not None
    options, outputs = ["-g", "4,1,1" if flat else "2,2,1"], []
    for _, name, access, layout in BUFFER.findall(told.stdout.decode()):
        data = words(random.Random(f"{seed} {name}"), layout)
        path = folder / f"{name}.bin"
        path.write_bytes(struct.pack(f"<{WORDS}I", *data))
        options += ["-i", f"{name}={path}"]
        if access == "in_out":
            outputs.append(name)
    return (options, outputs), None


def shorten(folder, message):
    """Cuts a file that is longer than its buffer; false if the message is about something else."""
    found = re.search(r"buffer `(\w+)` .* holds at most (\d+) bytes?, but", message)
    if not found:
        return False
    path = folder / f"{found[1]}.bin"
    limit = int(found[2])
    if not path.exists() or path.stat().st_size <= limit:
        return False
    path.write_bytes(path.read_bytes()[:limit])
    return True


def first_error(text):
    return next((line for line in text.splitlines() if "error[" in line), text.strip())


def answer(vyre, kernel, entry, extra, filled, folder, device):
    options, outputs = filled
    wanted = [word for name in outputs for word in ("-o", f"{name}={folder}/{name}.{device}.out")]
    command = [vyre, "run", kernel, "-e", entry, *extra, *options, *wanted, "--pad", "-d", device, "--strict-float",
               "--timeout", str(DEADLINES_S.get(device, DEADLINE_S))]
    for _ in range(20):
        done = run(*command)
        if done.returncode != 2 or not shorten(folder, done.stderr.decode()):
            break
    if done.returncode:
        return None, done.stderr.decode()
    return {n: (folder / f"{n}.{device}.out").read_bytes() for n in outputs}, None


def same_half(a, b):
    return a == b or (a & 0x7fff) > 0x7c00 < (b & 0x7fff)


def close(a, b):
    """Equal, near as floats, or NaNs both: of 32 bits, or of 16 in each half."""
    if all(same_half(a >> s & 0xffff, b >> s & 0xffff) for s in (0, 16)):
        return True
    x, y = (struct.unpack("<f", struct.pack("<I", w))[0] for w in (a, b))
    return (x != x and y != y) or abs(x - y) <= 1e-3 * max(abs(x), abs(y), 1e-3)


def differences(one, other):
    for name in one:
        count = len(one[name]) // 4
        for i, (a, b) in enumerate(zip(struct.unpack_from(f"<{count}I", one[name]),
                                       struct.unpack_from(f"<{count}I", other[name]))):
            if not close(a, b):
                yield f"{name}[{i}]: {a:#x} and {b:#x}"


def overrides(message):
    return [word for name in re.findall(r"the override `(\w+)` has no value", message)
            for word in ("-c", f"{name}=1")]


def judge(vyre, path, entry, device, seed):
    """What happened to an entry point: a word for the counts, and a line for people."""
    extra = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        filled, fault = fill(vyre, path, entry, extra, folder, seed)
        if fault and (extra := overrides(fault)):
            filled, fault = fill(vyre, path, entry, extra, folder, seed)
        if fault:
            return "refused", first_error(fault)
        answers = []
        for where in ("cpu", device):
            got, fault = answer(vyre, path, entry, extra, filled, folder, where)
            if fault:
                return f"not run on {where}", first_error(fault)
            answers.append(got)
    found = list(differences(*answers))
    return ("different", "; ".join(found[:3])) if found else ("same", "")


def entries(folder):
    for path in sorted(folder.rglob("*.wgsl")):
        for entry in ENTRY.findall(COMMENT.sub("", path.read_text(errors="replace"))):
            yield path, entry


def judge_in_time(options, path, entry):
    try:
        what, line = judge(options.vyre, str(path), entry, options.device, options.seed)
    except subprocess.TimeoutExpired:
        return "too slow", ""
    if what == "refused" and options.oracle:
        told = run(*shlex.split(options.oracle.format(shlex.quote(str(path)))))
        what = "refused by both" if told.returncode else what
    return what, line


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("vyre")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--device", default="wgpu")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--oracle")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    counts, bad = {}, False
    work = list(entries(options.folder))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        answers = pool.map(lambda one: judge_in_time(options, *one), work)
        for (path, entry), (what, line) in zip(work, answers):
            counts[what] = counts.get(what, 0) + 1
            bad |= what in ("refused", "different")
            print(f"{what:16} {path.name} {entry} {line}".rstrip(), flush=True)
    print(", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
