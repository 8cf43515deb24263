#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compiles the C++ in the documents: `check_docs.py DOCUMENT… -- COMPILER OPTION…`

Each ```cpp block of a document is the body of a function with a device, a program and two vectors at
hand, as docs/dispatch.md says.  A compiler's complaint names the document and the line.
"""
import pathlib
import re
import subprocess
import sys

PRELUDE = """
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>

#include <vyre/vyre.h>

"""
FUNCTION = """
vyre::Status snippet_{line}([[maybe_unused]] const vyre::Device& device,
                            [[maybe_unused]] const vyre::ValidProgram& program,
                            [[maybe_unused]] const std::vector<float>& x,
                            [[maybe_unused]] const std::vector<float>& y);
vyre::Status snippet_{line}([[maybe_unused]] const vyre::Device& device,
                            [[maybe_unused]] const vyre::ValidProgram& program,
                            [[maybe_unused]] const std::vector<float>& x,
                            [[maybe_unused]] const std::vector<float>& y) {{
#line {line} "{name}"
{body}
  return vyre::Ok{{}};
}}
"""


def snippets(path):
    """The functions of a document's blocks."""
    text = path.read_text()
    for block in re.finditer(r"^```cpp\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, block.start(1)) + 1
        yield FUNCTION.format(line=line, name=path.name, body=block.group(1))


def main():
    split = sys.argv.index("--")
    status = 0
    for name in sys.argv[1:split]:
        functions = list(snippets(pathlib.Path(name)))
        if not functions:
            print(f"{name} has no snippet")
            status = 1
        done = subprocess.run(sys.argv[split + 1:] + ["-"], input=PRELUDE + "".join(functions),
                              text=True)
        status = status or done.returncode
    return status


sys.exit(main())
