#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""What is left of an output when the program is ended while it writes.

    outputs_test.py VYRE

The program is stopped once its unfinished file is there, and then gets each signal that ends
programs, from a thread of its choice; or the disk has no room: the former content must stay, and
nothing beside it.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

KERNEL = """@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn main() { y[0] = 1; }
"""
WORDS = 64 << 20  # writing takes long enough to be seen
TIME_LIMIT_S = 60
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)


def stop_while_writing(process, folder):
    """True once the process stands still with an unfinished file beside its output."""
    deadline = time.monotonic() + TIME_LIMIT_S
    while process.poll() is None and time.monotonic() < deadline:
        if any(name.endswith(".tmp") for name in os.listdir(folder)):
            process.send_signal(signal.SIGSTOP)
            time.sleep(0.01)
            return any(name.endswith(".tmp") for name in os.listdir(folder))
    return False


def end_by(program, number, output):
    """Runs until the signal met an unfinished file; the faults that were found."""
    for _ in range(50):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder)
            (path / "k.wgsl").write_text(KERNEL)
            (path / "real.bin").write_text("former")
            (path / "link.bin").symlink_to("real.bin")
            before = sorted(os.listdir(folder))
            process = subprocess.Popen(
                [program, "run", "k.wgsl", "-d", "cpu", "-n", f"y={WORDS}", "-g", "1", "-o", f"y={output}"],
                cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, restore_signals=True,
                preexec_fn=lambda: signal.signal(number, signal.SIG_DFL))
            met = stop_while_writing(process, folder)
            process.send_signal(number)
            process.send_signal(signal.SIGCONT)
            status = process.wait(TIME_LIMIT_S)
            if not met:
                continue
            faults = []
            if sorted(os.listdir(folder)) != before:
                faults.append(f"the folder holds {sorted(os.listdir(folder))}")
            if (path / "real.bin").read_text() != "former":
                faults.append("the former content is gone")
            if status != -number:
                faults.append(f"the status is {status}")
            return faults
    return ["no unfinished file was ever seen"]


def ignored(program):
    """A signal that is ignored, as under nohup, ends nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.wgsl").write_text(KERNEL)
        process = subprocess.Popen(
            [program, "run", "k.wgsl", "-d", "cpu", "-n", f"y={WORDS}", "-g", "1", "-o", "y=y.bin"],
            cwd=folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        stop_while_writing(process, folder)
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGCONT)
        if process.wait(TIME_LIMIT_S) != 0 or (path / "y.bin").stat().st_size != 4 * WORDS:
            return ["an ignored signal ended the program"]
    return []


FULL_DISK = """mount -t tmpfs -o size=1m none disk 2> /dev/null || ulimit -f 512
echo former > disk/real.bin; ln -s disk/real.bin link.bin; ls disk > before
"$0" run k.wgsl -d cpu -n y=%d -g 1 -o y=$1 && echo "it was written"
[ "$(cat disk/real.bin)" = former ] || echo "the former content is gone"
ls disk | cmp - before
"""


def full_disk(program, output):
    """On a disk without room (a small one of our own, or else a limit) the former content stays."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.wgsl").write_text(KERNEL)
        (path / "disk").mkdir()
        own = ["unshare", "--mount", "--map-root-user"]
        if subprocess.run([*own, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            own = []
        done = subprocess.run([*own, "sh", "-c", FULL_DISK % (1 << 20), program, output], cwd=folder,
                              capture_output=True, text=True, timeout=TIME_LIMIT_S)
        if done.stdout:
            return [done.stdout]
        reasons = ("No space left on device", "File too large")
        said = f"error[cannot-write]: cannot write `{output}`: "
        return [] if done.stderr.strip() in [said + reason for reason in reasons] else [done.stderr]


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    os.environ["VYRE_CACHE_DIR"] = ""
    failed = 0
    for output in ("real.bin", "link.bin"):
        for number in SIGNALS:
            for fault in end_by(program, number, output):
                failed += 1
                print(f"{number.name} while {output} is written: {fault}")
    others = [*ignored(program), *full_disk(program, "disk/real.bin"), *full_disk(program, "link.bin")]
    print("\n".join(others))
    failed += len(others)
    print(f"{2 * len(SIGNALS) + 3} endings, {failed} faults")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
