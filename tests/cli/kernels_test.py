#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs every kernel of examples/kernels from the command line, on every device, against NumPy.

    kernels_test.py VYRE [KERNEL…]
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "kernels"
TIME_LIMIT_S = 120


class Shell:
    """Runs `vyre run` in a folder of its own, with arrays in and out."""

    def __init__(self, program, device, folder):
        self.program, self.device, self.folder = program, device, pathlib.Path(folder)
        self.random = np.random.default_rng(7)

    def words(self, count):
        return self.random.integers(0, 1 << 32, count, dtype=np.uint32)

    def floats(self, *shape):
        return self.random.uniform(-1, 1, shape).astype(np.float32)

    def whole(self, least, end, *shape):
        """Floats of whole numbers."""
        return self.random.integers(least, end, shape).astype(np.float32)

    def run(self, kernel, *words, outputs=(), **inputs):
        """Arrays named as buffers go in as .npy; the arrays of `outputs` come back."""
        command = [self.program, "run", KERNELS / f"{kernel}.wgsl", "-d", self.device, *words]
        for name, array in inputs.items():
            path = self.folder / f"in_{name}.npy"
            np.save(path, array)
            command += ["-i", f"{name}={path}"]
        for name in outputs:
            command += ["-o", f"{name}={self.folder / f'out_{name}.npy'}"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S)
        if done.returncode != 0:
            raise AssertionError(f"status {done.returncode}: {done.stderr.strip()}")
        results = [np.load(self.folder / f"out_{name}.npy") for name in outputs]
        return results[0] if len(results) == 1 else results


def expect_equal(got, expected):
    np.testing.assert_array_equal(got, expected)
    assert got.dtype == expected.dtype, f"{got.dtype}, expected {expected.dtype}"


# Sizes around a workgroup of 256, and one beyond a workgroup of 1024 elements.
SIZES = (1, 255, 256, 257, 5000)


def add(shell):
    for n in SIZES:
        a, b = shell.words(n), shell.words(n)
        expect_equal(shell.run("add", "-n", "c=a", a=a, b=b, outputs=["c"]), a + b)


def increment(shell):
    for n in SIZES:
        data = shell.words(n)
        expect_equal(shell.run("increment", data=data, outputs=["data"]), data + np.uint32(1))


def scale(shell):
    src = shell.words(5000)
    got = shell.run("scale", "-n", "dst=src", "-g", "3,7", src=src, outputs=["dst"])
    expect_equal(got, src * np.uint32(3) + np.uint32(1))


def saxpy(shell):
    # Halves and whole numbers, of which no product or sum is rounded.
    x, y = (shell.whole(-1000, 1000, 5000) for _ in range(2))
    for grid in ((), ("-g", "3")):
        got = shell.run("saxpy", "-s", "params.n=5000", "-s", "params.alpha=2.5", *grid, x=x, y=y, outputs=["y"])
        expect_equal(got, np.float32(2.5) * x + y)


def saxpy_rounds_each_operation(shell):
    x, y = shell.floats(5000), shell.floats(5000)
    got = shell.run("saxpy", "--strict-float", "-s", "params=5000,0.3", x=x, y=y, outputs=["y"])
    expect_equal(got, np.float32(0.3) * x + y)


def reduce_sum(shell):
    src = shell.words(100_003)
    partial = shell.run("reduce_sum", "-n", "dst=64", "-g", "64", src=src, outputs=["dst"])
    total = shell.run("reduce_sum", "-n", "dst=1", "-g", "1", src=partial, outputs=["dst"])
    expect_equal(total, src.sum(dtype=np.uint32, keepdims=True))


def histogram(shell):
    data = shell.words(50_001)
    bins = shell.run("histogram", "-g", "16", words=data, outputs=["bins"])
    expect_equal(bins, np.bincount(data.view(np.uint8), minlength=256).astype(np.uint32))


def scan(shell):
    for n in (1000, 100_003):
        src = shell.words(n)
        blocks = -(-n // 1024)
        dst, sums = shell.run("scan", "-e", "scan_blocks", "-n", "dst=src", "-n", f"sums={blocks}",
                              "-g", f"{blocks}", src=src, outputs=["dst", "sums"])
        offsets = shell.run("scan", "-e", "scan_blocks", "-n", "dst=src", "-n", "sums=1", "-g", "1",
                            src=sums, outputs=["dst"])
        got = shell.run("scan", "-e", "add_offsets", "-g", f"{blocks}", dst=dst, sums=offsets, outputs=["dst"])
        expect_equal(got, np.cumsum(src, dtype=np.uint32))


def escape_counts(width, height, iterations):
    f32 = np.float32
    cx = f32(-2) + f32(3) * np.arange(width, dtype=f32) / f32(width)
    cy = f32(-1.5) + f32(3) * np.arange(height, dtype=f32) / f32(height)
    cx, cy = np.meshgrid(cx, cy)
    x, y = np.zeros_like(cx), np.zeros_like(cx)
    counts = np.zeros(cx.shape, np.uint32)
    inside = np.ones(cx.shape, bool)
    for _ in range(iterations):
        inside &= ~(x * x + y * y > f32(4))
        counts += inside
        # Points that are out are left where they are.
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, f32(2) * x * y + cy, y)
    return counts


def mandelbrot(shell):
    # Powers of two: the divisions are exact, so all devices are.
    got = shell.run("mandelbrot", "--strict-float", "-s", "params=128,64,100", "-n", "counts=8192",
                    "--threads", "128,64", "--shape", "counts=64,128", outputs=["counts"])
    expect_equal(got, escape_counts(128, 64, 100))


def palette(shell):
    counts = np.arange(0, 240, dtype=np.uint32).reshape(12, 20)
    picture = shell.folder / "picture.png"
    shell.run("palette", "-s", "params.max_iter=200", "-n", "pixels=counts", "--shape", "pixels=12,20",
              "-o", f"pixels={picture}", counts=counts)
    light = counts * 255 // 200
    rgb = [np.where(counts < 200, np.minimum(c, 255), 0) for c in (light * 6, light * 3, light + 48)]
    expect_equal(read_png(picture.read_bytes()), np.stack([*rgb, np.full_like(counts, 255)], -1).astype(np.uint8))


def read_png(file):
    """The pixels of a PNG of 8-bit RGBA, by the format's own words."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, at = [], 8
    while at < len(file):
        length = int.from_bytes(file[at:at + 4], "big")
        kind, data, check = file[at + 4:at + 8], file[at + 8:at + 8 + length], file[at + 8 + length:at + 12 + length]
        assert zlib.crc32(kind + data) == int.from_bytes(check, "big"), "a chunk is damaged"
        chunks.append((kind, data))
        at += 12 + length
    head = chunks[0][1]
    width, height = int.from_bytes(head[:4], "big"), int.from_bytes(head[4:8], "big")
    assert head[8:] == bytes([8, 6, 0, 0, 0]), "not RGBA of 8 bits"
    raw = np.frombuffer(zlib.decompress(b"".join(data for kind, data in chunks if kind == b"IDAT")), np.uint8)
    rows = raw.reshape(height, 1 + 4 * width)
    out = np.zeros((height + 1, width + 1, 4), int)  # with a row above and a column left of zeros
    for y in range(height):
        line = rows[y, 1:].reshape(width, 4)
        for x in range(width):
            left, up, corner = out[y + 1, x], out[y, x + 1], out[y, x]
            out[y + 1, x + 1] = (line[x] + predicted(rows[y, 0], left, up, corner)) % 256
    return out[1:, 1:].astype(np.uint8)


def predicted(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        far = [abs(guess - value) for value in (left, up, corner)]
        return np.where((far[0] <= far[1]) & (far[0] <= far[2]), left, np.where(far[1] <= far[2], up, corner))
    return (0, left, up, (left + up) // 2)[kind]


def product(shell, kernel):
    m, k, n = 33, 50, 21
    a, b = shell.floats(m, k), shell.floats(k, n)
    got = shell.run(kernel, "-s", f"dims={m},{n},{k}", "-n", f"c={m * n}", "--threads",
                    f"{n},{m}", "--shape", f"c={m},{n}", a=a, b=b, outputs=["c"])
    np.testing.assert_allclose(got, a.astype(np.float64) @ b, rtol=1e-4, atol=1e-5)


def matmul(shell):
    product(shell, "matmul")


def matmul_tiled(shell):
    product(shell, "matmul_tiled")


def stencil3x3(shell):
    height, width = 21, 35
    src = shell.whole(0, 100, height, width)  # sums of sixteenths are exact
    got = shell.run("stencil3x3", "-s", f"params.width={width}", "-s", f"params.height={height}", "-n", "dst=src",
                    "--threads", f"{width},{height}", "--shape", f"dst={height},{width}", src=src, outputs=["dst"])
    edged = np.pad(src, 1, mode="edge")
    weights = np.outer([1, 2, 1], [1, 2, 1])
    blurred = sum(weights[y, x] * edged[y:y + height, x:x + width] for y in range(3) for x in range(3))
    expect_equal(got, (blurred / 16).astype(np.float32))


TESTS = (add, increment, scale, saxpy, saxpy_rounds_each_operation, reduce_sum, histogram, scan,
         mandelbrot, palette, matmul, matmul_tiled, stencil3x3)


def check_that_all_are_tested():
    untested = {path.stem for path in KERNELS.glob("*.wgsl")} - {test.__name__ for test in TESTS}
    assert not untested, f"no test of {sorted(untested)}"


def attempt(test, program, device):
    """The fault; empty if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(Shell(program, device, folder))
        except (AssertionError, subprocess.TimeoutExpired, OSError) as fault:
            return str(fault)
    return ""


def find_devices(program):
    listed = subprocess.run([program, "devices", "--json"], capture_output=True, text=True, check=True)
    return [device["selector"] for device in json.loads(listed.stdout)["devices"] if device["available"]]


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    program, names = sys.argv[1], sys.argv[2:]
    check_that_all_are_tested()
    jobs = [(test, device) for device in find_devices(program) for test in TESTS
            if not names or test.__name__ in names]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (test, device), fault in zip(jobs, pool.map(lambda job: attempt(job[0], program, job[1]), jobs)):
            if fault:
                failed += 1
                print(f"{test.__name__} on {device}: {fault}")
    print(f"{len(jobs)} runs, {failed} failed")
    return 1 if failed or not jobs else 0


if __name__ == "__main__":
    sys.exit(main())
