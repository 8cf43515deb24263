#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""The main job: real files through ordinary kernels, on every device here.

    main_job.py VYRE        VYRE is the built program; its folder gets the results

Counts the bytes of a program file, draws the Mandelbrot set and adds two vectors, compares the
devices byte for byte and each answer with NumPy's, and prints a table.  Status 1 if anything differs.
"""
import dataclasses
import json
import pathlib
import subprocess
import sys

import numpy as np

KERNELS = pathlib.Path(__file__).resolve().parents[1] / "examples" / "kernels"
SIDE = 1024
ITERATIONS = 256
ELEMENTS = 1 << 20


@dataclasses.dataclass
class Outcome:
    files: list     # what the device gave, as bytes
    right: bool     # as NumPy says
    seconds: float


class Runner:
    """Runs kernels of one device, and adds up how long its dispatches took."""

    def __init__(self, program, device):
        self.program, self.device, self.seconds = program, device, 0.0

    def __call__(self, kernel, *words):
        command = [self.program, "run", KERNELS / f"{kernel}.wgsl", "-d", self.device, "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        self.seconds += json.loads(done.stdout)["timing"]["total_ns"] / 1e9


def several_megabytes(program):
    """A file of that size that is there on every machine that built this."""
    compiler = subprocess.run(["g++", "-print-prog-name=cc1plus"], capture_output=True, text=True)
    for path in (program, compiler.stdout.strip(), sys.executable):
        path = pathlib.Path(path)
        if path.is_file() and path.stat().st_size >= 2 << 20:
            return path
    raise RuntimeError("neither the program nor the compiler is a file of several MB")


class Histogram:
    name = "histogram"

    def __init__(self, program, folder):
        source = several_megabytes(program)
        content = source.read_bytes()
        content = content[:len(content) // 4 * 4]
        self.words = folder / "words.bin"
        self.words.write_bytes(content)
        self.expected = np.bincount(np.frombuffer(content, np.uint8), minlength=256)
        self.what = f"bytes of {source.name}, {len(content) / 1e6:.1f} MB"

    def run(self, run, folder):
        bins = folder / "bins.npy"
        run("histogram", "-i", f"words={self.words}", "-g", "64", "-o", f"bins={bins}")
        return [bins], np.array_equal(np.load(bins), self.expected)


class Mandelbrot:
    name = "mandelbrot"
    what = f"{SIDE} × {SIDE}, {ITERATIONS} iterations, written as .png"

    def __init__(self, _program, _folder):
        self.counts = escape_counts()
        self.pixels = paint(self.counts)

    def run(self, run, folder):
        counts, pixels, picture = (folder / name for name in ("counts.npy", "pixels.npy", "mandelbrot.png"))
        run("mandelbrot", "--strict-float", "-s", f"params={SIDE},{SIDE},{ITERATIONS}",
            "-n", f"counts={SIDE * SIDE}", "--threads", f"{SIDE},{SIDE}", "-o", f"counts={counts}",
            "--shape", f"counts={SIDE},{SIDE}")
        run("palette", "-s", f"params.max_iter={ITERATIONS}", "-i", f"counts={counts}", "-n", "pixels=counts",
            "--shape", f"pixels={SIDE},{SIDE}", "-o", f"pixels={picture}", "-o", f"pixels={pixels}")
        right = np.array_equal(np.load(counts), self.counts) and np.array_equal(np.load(pixels), self.pixels)
        return [counts, pixels, picture], right


def escape_counts():
    """As the kernel does it: f32, each operation rounded by itself."""
    axis = np.float32(3) * np.arange(SIDE, dtype=np.float32) / np.float32(SIDE)
    cx, cy = np.meshgrid(np.float32(-2) + axis, np.float32(-1.5) + axis)
    counts = np.zeros(SIDE * SIDE, np.uint32)
    left = np.arange(SIDE * SIDE)  # points that have not escaped
    cx, cy = cx.ravel(), cy.ravel()
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    for _ in range(ITERATIONS):
        inside = x * x + y * y <= np.float32(4)
        left, cx, cy, x, y = (values[inside] for values in (left, cx, cy, x, y))
        x, y = x * x - y * y + cx, np.float32(2) * x * y + cy
        counts[left] += 1
    return counts.reshape(SIDE, SIDE)


def paint(counts):
    light = counts * np.uint32(255) // np.uint32(ITERATIONS)
    red, green, blue = (np.minimum(color, 255) for color in (light * 6, light * 3, light + 48))
    colors = (0xff << 24) | (blue.astype(np.uint32) << 16) | (green << 8) | red
    return np.where(counts >= ITERATIONS, 0xff << 24, colors).astype(np.uint32)


class Saxpy:
    name = "saxpy"
    what = f"{ELEMENTS} integer-valued f32"

    def __init__(self, _program, folder):
        # Whole numbers below 2^24, so that no rounding happens and fusing cannot matter.
        random = np.random.default_rng(3)
        x, y = (random.integers(-1000, 1000, ELEMENTS).astype(np.float32) for _ in range(2))
        self.x, self.y = folder / "x.npy", folder / "y.npy"
        np.save(self.x, x)
        np.save(self.y, y)
        self.expected = 3 * x + y

    def run(self, run, folder):
        out = folder / "saxpy.npy"
        run("saxpy", "-s", f"params.n={ELEMENTS}", "-s", "params.alpha=3", "-i", f"x={self.x}",
            "-i", f"y={self.y}", "-o", f"y={out}")
        return [out], np.array_equal(np.load(out), self.expected)


def try_job(job, program, device, folder):
    """The outcome, or the text of an error."""
    run = Runner(program, device)
    folder.mkdir(exist_ok=True)
    try:
        files, right = job.run(run, folder)
    except RuntimeError as error:
        return str(error)
    return Outcome([file.read_bytes() for file in files], right, run.seconds)


def print_row(*columns):
    print(f"{columns[0]:<12}{columns[1]:<10}{columns[2]:>10}   {columns[3]:<12}{columns[4]}".rstrip(), flush=True)


def word(yes):
    return "yes" if yes else "NO"


def run_job(job, program, devices, folder):
    """Prints a row a device; true if all is well."""
    well, first = True, None
    for device in devices:
        outcome = try_job(job, program, device, folder / device.replace(":", ""))
        if isinstance(outcome, str):
            print_row(job.name, device, "-", "NO", "NO")
            print(outcome, file=sys.stderr)
            well = False
            continue
        first = first or outcome
        same = outcome.files == first.files
        print_row(job.name, device, f"{outcome.seconds * 1e3:.1f} ms", word(same), word(outcome.right))
        well = well and same and outcome.right
    return well


def find_devices(program):
    listed = subprocess.run([program, "devices", "--json"], capture_output=True, text=True, check=True)
    devices = []
    for device in json.loads(listed.stdout)["devices"]:
        if device["available"]:
            devices.append(device["selector"])
            print(f"{device['selector']}: {device['name']}, {device['kind']}")
        else:
            print(f"{device['backend']}: not here: {device['why']}")
    return devices


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program = str(pathlib.Path(sys.argv[1]).resolve())
    folder = pathlib.Path(program).parent / "main_job"
    folder.mkdir(exist_ok=True)
    devices = find_devices(program)
    jobs = [job(program, folder) for job in (Histogram, Mandelbrot, Saxpy)]
    for job in jobs:
        print(f"{job.name}: {job.what}")
    print()
    print_row("job", "device", "time", "same bytes", "as NumPy")
    well = all([run_job(job, program, devices, folder) for job in jobs])
    print(f"\npicture: {folder / devices[0].replace(':', '') / 'mandelbrot.png'}")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
