#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks that README.md shows the example that is built and run, and that links of documents lead to
files that exist."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).parents[1]
readme = (root / "README.md").read_text()
example = (root / "examples" / "saxpy.cpp").read_text().split("\n", 1)[1].strip()

faults = []
if f"```cpp\n{example}\n```" not in readme:
    faults.append("README.md does not show examples/saxpy.cpp as it is")
for document in [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").glob("*.md"))]:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text()):
        if not (document.parent / target).exists():
            faults.append(f"{document.name} links to {target}, which is not there")
print("\n".join(faults), end="\n" if faults else "")
sys.exit(1 if faults else 0)
