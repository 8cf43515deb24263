# SPDX-License-Identifier: MIT OR Apache-2.0
"""Draws what `vyre_cpu_bench --json FILE` measured as an SVG picture.

    plot_bench.py ROWS.json PICTURE.svg

A pair of bars a kernel, on a logarithmic scale: how many times as fast as plain C++ and as the
software Vulkan driver the CPU machine is.  Left of the line at 1 it is slower.
"""
import json
import math
import pathlib
import sys

ROW, BAR, LEFT, SCALE = 34, 12, 120, 520
LOW, HIGH = -1.5, 1.5  # powers of ten
SIDES = (("plain", "plain C++", "#4878a8"), ("vulkan", "software Vulkan", "#d8903c"))


def x_of(ratio):
    power = min(max(math.log10(ratio), LOW), HIGH)
    return LEFT + SCALE * (power - LOW) / (HIGH - LOW)


def text(x, y, words, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def bars(rows):
    for index, row in enumerate(rows):
        top = 40 + index * ROW
        yield text(LEFT - 8, top + BAR + 4, row["kernel"], "end")
        for side, (key, _, colour) in enumerate(SIDES):
            if not row[key] or not row["cpu"]:
                continue
            ratio = row[key] / row["cpu"]
            left, right = sorted((x_of(1), x_of(ratio)))
            y = top + side * BAR
            yield (f'<rect x="{left:.1f}" y="{y}" width="{right - left:.1f}" '
                   f'height="{BAR - 1}" fill="{colour}"/>')
            yield text(right + 4, y + BAR - 2, f"{ratio:.2f}")


def axis(height):
    for ratio in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20):
        x = x_of(ratio)
        colour = "#444" if ratio == 1 else "#ddd"
        yield f'<line x1="{x:.1f}" y1="30" x2="{x:.1f}" y2="{height}" stroke="{colour}"/>'
        yield text(x, 24, f"{ratio:g}", "middle")


def legend(height):
    for side, (_, name, colour) in enumerate(SIDES):
        x = LEFT + side * 200
        yield f'<rect x="{x}" y="{height + 8}" width="12" height="12" fill="{colour}"/>'
        yield text(x + 18, height + 18, f"times as fast as {name}")


def picture(rows):
    height = 40 + len(rows) * ROW
    parts = [*axis(height), *bars(rows), *legend(height)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + SCALE + 60}" '
        f'height="{height + 30}" font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>", ""])


def main(source, target):
    rows = json.loads(pathlib.Path(source).read_text())
    pathlib.Path(target).write_text(picture(rows))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
