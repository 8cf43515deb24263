#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Counts what the CPU machine executes for an item of some kernels, against a limit for each.

    instructions_test.py VYRE [--print]

Times are noisy, counts are not: they tell when a change makes the machine slower.  A kernel runs
once and eleven times under callgrind; the difference is ten launches and nothing else.  The
limits are a sixth above what was counted; a change that needs more says why and raises them, one
that needs less lowers them (`--print` shows the counts).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"
TIME_LIMIT_S = 120
LAUNCHES = 10
SKIPPED = 77

ELEMENTS, ORDER, SIDE = 1 << 16, 64, 64

# kernel: its words, items of a launch, limit of instructions an item
CASES = {
    "saxpy": (["-s", f"params.n={ELEMENTS}", "-s", "params.alpha=2", "--threads", str(ELEMENTS),
               "-i", f"x=range:{ELEMENTS}", "-i", f"y=zeros:{ELEMENTS}"], ELEMENTS, 14),
    "scan": (["-e", "scan_blocks", "-g", str(ELEMENTS // 1024), "-i", f"src=range:{ELEMENTS}",
              "-n", f"dst={ELEMENTS}", "-n", f"sums={ELEMENTS // 1024}"], ELEMENTS, 29),
    "matmul": (["-s", f"dims={ORDER},{ORDER},{ORDER}", "--threads", f"{ORDER},{ORDER}",
                "-i", f"a=zeros:{ORDER * ORDER}", "-i", f"b=zeros:{ORDER * ORDER}",
                "-n", f"c={ORDER * ORDER}"], ORDER ** 3, 19),
    "mandelbrot": (["-s", f"params={SIDE},{SIDE},64", "--threads", f"{SIDE},{SIDE}",
                    "-n", f"counts={SIDE * SIDE}"], SIDE * SIDE, 576),
}


def instructions(vyre, kernel, words, launches, folder):
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out",
               vyre, "run", str(KERNELS / f"{kernel}.wgsl"), "-d", "cpu", *words,
               "--repeat", str(launches)]
    environment = {**os.environ, "VYRE_CPU_ISA": "avx2"}  # what callgrind understands
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S,
                          env=environment, check=False)
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected:
        sys.exit(f"{kernel}: status {done.returncode}: {done.stderr[-2000:]}")
    return int(collected[1])


def per_item(vyre, kernel, folder):
    words, items, _ = CASES[kernel]
    once = instructions(vyre, kernel, words, 1, folder)
    more = instructions(vyre, kernel, words, 1 + LAUNCHES, folder)
    return (more - once) / (LAUNCHES * items)


def has_avx2():
    return "avx2" in pathlib.Path("/proc/cpuinfo").read_text().split()


def main(vyre, show):
    if not shutil.which("valgrind") or not has_avx2():
        print("neither valgrind nor AVX2, or one of them, is here")
        return SKIPPED
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for kernel, (_, _, limit) in CASES.items():
            count = per_item(vyre, kernel, folder)
            failed |= count > limit
            if show or count > limit:
                print(f"{kernel}: {count:.3f} instructions an item, limit {limit}")
    return 1 if failed and not show else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--print" in sys.argv[2:]))
