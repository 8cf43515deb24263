#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs text cases: one file, one fact, the expectation inside.

    run_cases.py VYRE [CASE…]      runs these files and folders, or all beside this script
    VYRE_BLESS=1 run_cases.py …    rewrites what the cases expect to what they get
    run_cases.py --self-test

A case is

    # the fact, in a line
    $ vyre check faulty.wgsl       commands of a shell, run in an empty folder
    status 1                       of the last command; 0 when left out
    --- faulty.wgsl                files that the folder holds
    fn main() {
    --- stdout                     what is printed; nothing when left out
    --- stderr
    faulty.wgsl:1:12: error[syntax-error]: <*>

`<*>` stands for any text within a line, where it depends on the machine.  Commands find the program
as `vyre`, and the example kernels in `$KERNELS`.  A case whose commands name `$DEVICE` runs on every
device that is here; what a driver is warned about is no part of it.
"""
import concurrent.futures
import difflib
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parents[1] / "examples" / "kernels"
TIME_LIMIT_S = 60
ANY = "<*>"
STREAMS = ("stdout", "stderr")


class BadCase(Exception):
    pass


class Case:
    def __init__(self, path):
        self.path = path
        head, *parts = re.split(r"^--- (.+)\n", path.read_text(), flags=re.MULTILINE)
        self.sections = list(zip(parts[::2], parts[1::2]))
        self.status = 0
        self.commands = []
        lines = head.splitlines()
        if not lines or not lines[0].startswith("# "):
            raise BadCase("the first line is not '# the fact'")
        self.fact = lines[0]
        for line in lines[1:]:
            if line.startswith("$ "):
                self.commands.append(line[2:])
            elif match := re.fullmatch(r"status (\d+)", line):
                self.status = int(match[1])
            elif line:
                raise BadCase(f"'{line}' is neither '$ command' nor 'status N'")
        if not self.commands:
            raise BadCase("there is no command")

    def expected(self):
        texts = dict(self.sections)
        return self.status, *(texts.get(stream, "") for stream in STREAMS)

    def devices(self, program):
        return available_devices(program) if any("$DEVICE" in c for c in self.commands) else ("cpu",)

    def run(self, program, device):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as runtime:
            for name, text in self.sections:
                if name not in STREAMS:
                    path = pathlib.Path(folder, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text(text)
            done = subprocess.run(
                ["/bin/sh", "-c", "\n".join(self.commands)], cwd=folder, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=TIME_LIMIT_S,
                env=environment(program, runtime) | {"DEVICE": device})
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        if device != "cpu":
            err = re.sub(r"^vyre: warning: .*\n", "", err, flags=re.MULTILINE)
        return done.returncode, out, err

    def bless(self, got):
        status, *texts = got
        lines = [self.fact, *(f"$ {command}" for command in self.commands)]
        if status:
            lines.append(f"status {status}")
        text = "\n".join(lines) + "\n"
        for name, content in self.sections:
            if name not in STREAMS:
                text += f"--- {name}\n{content}"
        for stream, content, before in zip(STREAMS, texts, self.expected()[1:]):
            if content:
                text += f"--- {stream}\n{keep_placeholders(before, content)}"
        self.path.write_text(text if text.endswith("\n") else text + "\n")


def environment(program, runtime):
    """Nothing of ours from outside, nothing kept from run to run; a runtime folder, without which
    Vulkan drivers complain."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VYRE_")}
    path = f"{pathlib.Path(program).resolve().parent}:/usr/bin:/bin"
    return {"XDG_RUNTIME_DIR": runtime, **kept, "PATH": path, "KERNELS": str(KERNELS), "LC_ALL": "C",
            "VYRE_CACHE_DIR": ""}


@functools.cache
def available_devices(program):
    """Selectors of the devices that open here, `cpu` first."""
    with tempfile.TemporaryDirectory() as runtime:
        done = subprocess.run([program, "devices", "--json"], capture_output=True, check=True,
                              timeout=TIME_LIMIT_S, env=environment(program, runtime))
    found = [d["selector"] for d in json.loads(done.stdout)["devices"] if d["available"]]
    return ("cpu", *(selector for selector in found if not selector.startswith("cpu")))


def matches(expected, got):
    if ANY not in expected:
        return expected == got
    pattern = ".*".join(re.escape(piece) for piece in expected.split(ANY))
    return re.fullmatch(pattern, got) is not None


def keep_placeholders(before, content):
    """New lines, but for those that an old line with a placeholder stands for."""
    patterns = [line for line in before.splitlines() if ANY in line]
    lines = [next((p for p in patterns if matches(p, line)), line) for line in content.splitlines()]
    return "\n".join(lines) + "\n"


def differences(expected, got):
    """Lines of a report; none if what was got is as expected."""
    report = []
    if expected[0] != got[0]:
        report.append(f"status {got[0]}, expected {expected[0]}")
    for stream, want, have in zip(STREAMS, expected[1:], got[1:]):
        if not matches(want, have):
            report += difflib.unified_diff(want.splitlines(), have.splitlines(),
                                           f"expected {stream}", f"got {stream}", lineterm="")
    return report


def try_case(path, program, bless):
    """The report on one case; none if it holds or was blessed."""
    try:
        case = Case(path)
        results = {device: case.run(program, device) for device in case.devices(program)}
    except BadCase as fault:
        return [f"no case: {fault}"]
    except subprocess.TimeoutExpired:
        return [f"still running after {TIME_LIMIT_S} s"]
    if bless and differences(case.expected(), results["cpu"]):
        case.bless(results["cpu"])
        case = Case(path)
    report = []
    for device, got in results.items():
        lines = differences(case.expected(), got)
        report += [f"on {device}:", *lines] if lines and device != "cpu" else lines
    return report


def find_cases(names):
    paths = []
    for path in map(pathlib.Path, names or [HERE]):
        paths += sorted(path.rglob("*.case")) if path.is_dir() else [path]
    return paths


def run_all(program, names, bless):
    paths = find_cases(names)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda path: try_case(path, program, bless), paths))
    failed = [(path, report) for path, report in zip(paths, reports) if report]
    for path, report in failed:
        print(f"{os.path.relpath(path)}:", *(f"    {line}" for line in report), sep="\n")
    print(f"{len(paths)} cases, {len(failed)} failed")
    return 1 if failed or not paths else 0


SELF_TEST = {  # text of a case: a word of the report, or None if the case holds
    "# x\n$ echo a\n--- stdout\na\n": None,
    "# x\n$ echo a\n--- stdout\nb\n": "+a",
    "# x\n$ echo a\n": "+a",
    "# x\n$ echo a1b >&2; exit 3\nstatus 3\n--- stderr\na<*>b\n": None,
    "# x\n$ printf 'a\\nb\\n'\n--- stdout\na<*>b\n": "+a",
    "# x\n$ exit 3\n": "status 3, expected 0",
    "# x\n$ cat d/f\n--- d/f\n1\n--- stdout\n1\n": None,
    "$ echo a\n": "no case",
    "# x\n": "no case",
    "# x\n$ true\nstaus 1\n": "no case",
}


def self_test():
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "x.case")
        for text, wanted in SELF_TEST.items():
            path.write_text(text)
            report = "\n".join(try_case(path, "/bin/sh", False))
            if (wanted is None) != (report == "") or (wanted or "") not in report:
                failed += 1
                print(f"{text!r}: expected {wanted!r}, got {report!r}")
        path.write_text("# x\n$ echo a1; echo b; exit 2\n--- f\n1\n--- stdout\na<*>\nc\n")
        try_case(path, "/bin/sh", True)
        if path.read_text() != "# x\n$ echo a1; echo b; exit 2\nstatus 2\n--- f\n1\n--- stdout\na<*>\nb\n":
            failed += 1
            print(f"blessing gave {path.read_text()!r}")
    return failed


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    return run_all(sys.argv[1], sys.argv[2:], os.environ.get("VYRE_BLESS", "") not in ("", "0"))


if __name__ == "__main__":
    sys.exit(main())
