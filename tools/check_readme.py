#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks what the documents show.

    check_readme.py                   README.md shows the example that is built and run, and links of
                                      documents lead to files that exist
    check_readme.py --run BUILD       the commands of README.md that need only the program work as
                                      written, and the faults in docs/errors.md are those that it says
    check_readme.py --commands        prints all commands of README.md but `./dev test`, as a script
                                      that runs them from the repository's root
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()


def blocks():
    """The commands of README.md, a list a block: lines that go on are one command."""
    for block in re.findall(r"^```sh\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL):
        yield [line for line in block.replace("\\\n", " ").splitlines() if line]


def needs_program_only(commands):
    return all(command.split()[0] in ("export", "vyre") for command in commands)


def faults_of_links():
    example = (ROOT / "examples" / "saxpy.cpp").read_text().split("\n", 1)[1].strip()
    if f"```cpp\n{example}\n```" not in README:
        yield "README.md does not show examples/saxpy.cpp as it is"
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    for document in documents:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
            if not (document.parent / target).exists():
                yield f"{document.name} links to {target}, which is not there"


def faults_of_commands(build):
    """Runs them in a folder that looks like the root after a build, so that the build may have any
    name and nothing is left in the repository."""
    ran = 0
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path in ROOT.iterdir():
            if path.name != "build":
                (root / path.name).symlink_to(path)
        (root / "build").mkdir()
        (root / "build" / "release").symlink_to(build)
        for commands in filter(needs_program_only, blocks()):
            ran += len(commands)
            done = subprocess.run(["sh", "-e"], input="\n".join(commands), cwd=folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                yield f"a command of README.md ends with {done.returncode}:\n{done.stdout}"
    if ran < 10:
        yield f"README.md has only {ran} commands"


def faults_of_errors(build):
    text = (ROOT / "docs" / "errors.md").read_text()
    kernel, said = re.search(r'parse_wgsl\(R"\((.*?)\)"\).*?\n```\n\n```\n(.*?)```', text, re.DOTALL).groups()
    done = subprocess.run([build / "vyre", "check", "-", "--json"], input=kernel, text=True, stdout=subprocess.PIPE)
    found = "".join(f"line {fault['line']}: {fault['message']}\n" for fault in json.loads(done.stdout)["faults"])
    if found != said or said.count("\n") < 2:
        yield f"docs/errors.md says\n{said}but the faults are\n{found}"


def main():
    if sys.argv[1:] == ["--commands"]:
        print("set -ex")
        for commands in blocks():
            print("\n".join(c for c in commands if not c.startswith("./dev test")))
        return 0
    if sys.argv[1:2] == ["--run"]:
        build = pathlib.Path(sys.argv[2]).resolve()
        os.environ["VYRE_CACHE_DIR"] = ""
        faults = [*faults_of_commands(build), *faults_of_errors(build)]
    else:
        faults = [*faults_of_links()]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
