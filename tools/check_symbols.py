#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks that object files for one instruction set share no function with the rest.

usage: check_symbols.py NM OBJECT…

The linker keeps one copy of a function that several files define, so one that was compiled for a
better processor could end up in code that every processor runs.  An object `…_<isa>.cpp.o` may
define functions of the namespace vyre::cpu::<isa> and local ones only.
"""
import re
import subprocess
import sys


def leaks(listing, isa):
    """The lines of `nm` that define something outside the namespace and are visible outside."""
    found = []
    for line in listing.splitlines():
        match = re.match(r"[0-9a-f]* ([A-Za-z]) (.*)", line)
        if match and match[1] not in "Utrbd" and f"vyre::cpu::{isa}::" not in match[2]:
            found.append(line)
    return found


def main(nm, *objects):
    faults = 0
    for path in objects:
        isa = re.search(r"_([a-z0-9]+)\.cpp\.o(bj)?$", path)[1]
        listing = subprocess.run([nm, "-C", path], check=True, capture_output=True, text=True).stdout
        if not listing.strip():
            sys.exit(f"check_symbols: {path} has no symbols")
        for line in leaks(listing, isa):
            print(f"{path}: {line}")
            faults += 1
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
