#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Writes tests/conformance/vectors/<operator>.txt: what every operator must give.

The expectations follow the specification of the language and know nothing of the C++ sources:
integers are Python's, exact float results are fractions rounded once (tools/vector_floats.py), and
the values of transcendental functions come from mpmath (Debian: python3-mpmath) at 200 bits.

    tools/make_vectors.py [FOLDER]          writes the files
    tools/make_vectors.py --check [FOLDER]  fails if a file differs from what would be written
"""
import itertools
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import vector_floats as vf
from vector_floats import F16, F32, FORMATS

INTS = {"u32": (32, False), "i32": (32, True), "u64": (64, False), "i64": (64, True)}
ARITH = ("u32", "i32", "f32", "u64", "i64", "f16")
INTEGER = ("u32", "i32", "u64", "i64")
FLOATING = ("f32", "f16")
VALUES = ("boolean",) + ARITH

F32_SPECIAL = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000,  # 0 1 2
    0x3F000000, 0xBF000000, 0x3FC00000, 0xBFC00000, 0x40200000, 0xC0200000,  # halves
    0x40600000, 0x3EFFFFFF, 0x3F7FFFFF, 0x3F800001, 0x3DCCCCCD, 0x3EAAAAAB,  # near, 0.1, 1/3
    0x40490FDB, 0xC0490FDB, 0x3FC90FDB, 0x3F490FDB, 0x402DF854, 0x3F317218,  # pi, pi/2, pi/4, e
    0x41200000, 0x42C80000, 0x501502F9, 0xC1700000, 0x40400000, 0x3E800000,  # 10 100 1e10 -15 3
    0x00000001, 0x80000001, 0x00400000, 0x007FFFFF, 0x807FFFFF,              # subnormals
    0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,  # min normal, max, inf
    0x7FC00000, 0xFFC00001, 0x7F800001, 0xFFBFFFFF,                          # NaNs, signalling too
    0x4AFFFFFF, 0x4B000000, 0x4B000001, 0x4B7FFFFF, 0x4B800000, 0x4B800001,  # 2^23, 2^24
    0xCB000001, 0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001,              # 2^31
    0x4F32D05E, 0xCF32D05E, 0x4F7FFFFF, 0x4F800000, 0x4F800001,              # 3e9, 2^32
    0x5EFFFFFF, 0x5F000000, 0xDF000000, 0x5F7FFFFF, 0x5F800000,              # 2^63, 2^64
    0x477FE000, 0x477FEFFF, 0x477FF000, 0xC77FF000, 0x47800000,              # around the half max
    0x33800000, 0x33000000, 0x33000001, 0x38800000, 0x387FE000, 0x387FF000,  # half subnormals
    0x3F801000, 0x3F803000, 0x3F801001,                                      # halfway of halves
    0x42B17217, 0x42B17218, 0x42B20000, 0xC2AEAC4F, 0xC2CFF1B5, 0x42FE0000,  # limits of exp
    0x43000000, 0xC2FC0000, 0xC3150000, 0xC3160000,                          # limits of exp2
]
F32_PAIR = [
    0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0x40400000, 0xC0200000,
    0x3DCCCCCD, 0x3F800001, 0x00000001, 0x807FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF,
    0x7F800000, 0xFF800000, 0x7FC00000, 0xFF800001, 0x4B800001, 0x4F000000,
]
F32_TRIPLE = [0x00000000, 0x80000000, 0x3F800000, 0xBF000000, 0x40490FDB, 0x00000001, 0x7F800000,
              0x7FC00000]
F16_SPECIAL = [
    0x0000, 0x8000, 0x3C00, 0xBC00, 0x3800, 0xB800, 0x4000, 0x4100, 0xC100, 0x3BFF, 0x3C01, 0x3555,
    0x4248, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0xFD01, 0x6400,
    0x6401, 0x63FF, 0x5640, 0x2E66,
]
F16_PAIR = [0x0000, 0x8000, 0x3C00, 0xB800, 0x4248, 0x0001, 0x7BFF, 0x7C00, 0x7E00]
F16_TRIPLE = [0x0000, 0x3C00, 0xB800, 0x4248, 0x7C00]
UNSIGNED_SPECIAL = [0, 1, 2, 3, 7, 31, 32, 33, 100, 255, 256, 65535, 65536, 16777215, 16777216,
                    16777217, 16777219, 33554431, 2147483647, 2147483648, 2147483649, 3000000000,
                    4294967040, 4294967167, 4294967168, 4294967294, 4294967295, 0xAAAAAAAA]
SIGNED_SPECIAL = [0, 1, -1, 2, -2, 3, 7, -7, 31, 32, 33, 127, -128, 255, 256, -65536, 65535,
                  16777216, 16777217, -16777217, -16777219, 2147483520, 2147483583, 2147483584,
                  2147483646, 2147483647, -2147483647, -2147483648, 0x55555555]
UNSIGNED_PAIR = [0, 1, 2, 3, 7, 31, 32, 33, 65536, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
SIGNED_PAIR = [0, 1, -1, 2, -2, 3, 7, -7, 65536, 2147483647, -2147483647, -2147483648]
COUNTS = [0, 1, 7, 16, 31, 32, 33, 63, 64, 65, 0x80000000, 0xFFFFFFFF]


def wide(values, signed):
    """64-bit values: some of the 32-bit ones, and the limits of 64 bits."""
    more = [2**32 + 5, 2**53 + 1, 2**63 - 1] + ([-2**63, -2**63 + 1, -2**40] if signed else
                                               [2**63, 2**64 - 1, 2**64 - 2**39])
    return values + more


def specials(kind):
    return {"boolean": [0, 1], "u32": UNSIGNED_SPECIAL, "i32": SIGNED_SPECIAL,
            "u64": wide(UNSIGNED_SPECIAL, False), "i64": wide(SIGNED_SPECIAL, True),
            "f32": F32_SPECIAL, "f16": F16_SPECIAL}[kind]


def few(kind, arity):
    if kind == "boolean":
        return [0, 1]
    if arity == 2:
        return {"u32": UNSIGNED_PAIR, "i32": SIGNED_PAIR, "f32": F32_PAIR, "f16": F16_PAIR,
                "u64": wide([0, 1, 3, 0xFFFFFFFF], False),
                "i64": wide([0, 1, -1, -7], True)}[kind]
    return {"u32": [0, 1, 5, 0x80000000, 0xFFFFFFFF], "i32": [0, 1, -1, 2147483647, -2147483648],
            "u64": [0, 1, 2**33, 2**64 - 1], "i64": [0, -1, 2**33, -2**63],
            "f32": F32_TRIPLE, "f16": F16_TRIPLE}[kind]


def some_random(kind, seed):
    """Ordinary values, as many as make rounding show."""
    source = random.Random(f"{kind} {seed}")
    if kind == "boolean":
        return source.randint(0, 1)
    if kind in INTS:
        width, signed = INTS[kind]
        bits = source.getrandbits(width) >> source.choice((0, 0, width // 2))
        return to_int(bits, width, signed)
    fmt = FORMATS[kind]
    spread = 20 if fmt is F32 else 4
    exponent = source.randint(fmt.bias - spread, fmt.bias + spread)
    return (source.getrandbits(1) << (fmt.width - 1)) | (exponent << fmt.fraction) | \
        source.getrandbits(fmt.fraction)


def operand_sets(types):
    if len(types) == 1:
        rows = [(v,) for v in specials(types[0])]
    else:
        rows = list(itertools.product(*(few(t, len(types)) for t in types)))
    count = 0 if "boolean" in types and len(types) < 3 else 24
    rows += [tuple(some_random(t, f"{i} {j}") for j, t in enumerate(types)) for i in range(count)]
    return list(dict.fromkeys(rows))


# ------------------------------------------------------------------------------------- integers


def to_int(value, width, signed):
    value &= (1 << width) - 1
    return value - (1 << width) if signed and value >> (width - 1) else value


def truncated(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def bit_list(value, width):
    return [(value >> i) & 1 for i in range(width)]


def from_bits(bits):
    return sum(bit << i for i, bit in enumerate(bits))


def rotated(value, by, width):
    return from_bits([bit_list(value, width)[(i - by) % width] for i in range(width)])


def highest(bits):
    return max((i for i, bit in enumerate(bits) if bit), default=-1)


def lowest(bits):
    return next((i for i, bit in enumerate(bits) if bit), -1)


def extracted(value, offset, count, width, signed):
    offset = min(offset, width)
    count = min(count, width - offset)
    taken = bit_list(value, width)[offset:offset + count]
    sign = taken[-1] if signed and taken else 0
    return from_bits(taken + [sign] * (width - count))


def integer(op, x, y, z, width, signed):
    bits = bit_list(x, width)
    low = -(1 << (width - 1)) if signed else None
    table = {
        "neg": lambda: -x, "add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y,
        "div": lambda: x if y == 0 else truncated(x, y),
        "rem": lambda: 0 if y == 0 else x - y * truncated(x, y),
        "abs": lambda: abs(x), "sign": lambda: (x > 0) - (x < 0),
        "min": lambda: min(x, y), "max": lambda: max(x, y),
        "clamp": lambda: min(max(x, y), z),
        "bit_not": lambda: ~x, "bit_and": lambda: x & y, "bit_or": lambda: x | y,
        "bit_xor": lambda: x ^ y,
        "shl": lambda: x << (y % width), "shr": lambda: x >> (y % width),
        "rotl": lambda: rotated(x, y % width, width),
        "rotr": lambda: rotated(x, -(y % width), width),
        "clz": lambda: width - 1 - highest(bits),
        "ctz": lambda: width if lowest(bits) < 0 else lowest(bits),
        "popcount": lambda: sum(bits), "reverse_bits": lambda: from_bits(bits[::-1]),
        "first_leading_bit": lambda: highest([b ^ (signed and bits[-1]) for b in bits]),
        "first_trailing_bit": lambda: lowest(bits),
        "extract_bits": lambda: extracted(x, y, z, width, signed),
        "mul_high": lambda: (x * y) >> width,
    }
    assert low is None or low <= x < -low
    return to_int(table[op](), width, signed)


def compare(op, a, b):
    return {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}[op]


# ---------------------------------------------------------------------------------- any operator


def converted(to, of, value):
    if of in FORMATS:
        number = vf.decode(value, FORMATS[of])
        if to == "boolean":
            return int(number.nan or not number.zero)
        if to in FORMATS:
            return vf.encode(number, FORMATS[to])
        return vf.to_integer(number, FORMATS[of], *INTS[to])
    if to == "boolean":
        return int(value != 0)
    if to in FORMATS:
        return vf.encode(vf.number(value), FORMATS[to])
    return to_int(value, *INTS[to])


def bits_of(kind, value):
    return value & ((1 << INTS[kind][0]) - 1) if kind in INTS else value


def result(op, types, to, values):
    """The expectation: an integer, a float's bits, or a word or decimal text."""
    first = types[0]
    if op == "convert":
        return converted(to, first, values[0])
    if op == "bitcast":
        bits = bits_of(first, values[0])
        return to_int(bits, *INTS[to]) if to in INTS else vf.Bits(bits)
    if op == "select":
        return values[1] if values[0] else values[2]
    if op in ("logical_not", "logical_and", "logical_or"):
        return int({"logical_not": lambda: not values[0], "logical_and": lambda: all(values),
                    "logical_or": lambda: any(values)}[op]())
    if op == "half_to_float":
        return vf.encode(vf.decode(values[0] & 0xFFFF, F16), F32)
    if op == "float_to_half":
        return vf.half_word(vf.decode(values[0], F32))
    if op in ("eq", "ne", "lt", "le", "gt", "ge"):
        if first in FORMATS:
            return int(vf.compare(op, *(vf.decode(v, FORMATS[first]) for v in values)))
        return int(compare(op, *values))
    if first in FORMATS:
        return vf.evaluate(op, values, FORMATS[first])
    width, signed = INTS[first]
    return integer(op, *(list(values) + [0, 0])[:3], width, signed)


def signatures():
    """Operator → its (operand types, result type) in order."""
    table = {}

    def same(names, arity, kinds, to=None):
        for name in names.split():
            table[name] = [((k,) * arity, to or k) for k in kinds]

    same("neg abs sign", 1, ARITH)
    same("add sub mul div rem min max", 2, ARITH)
    same("clamp", 3, ARITH)
    same("bit_not clz ctz popcount reverse_bits first_leading_bit first_trailing_bit", 1, INTEGER)
    same("bit_and bit_or bit_xor", 2, INTEGER)
    for name in "shl shr rotl rotr".split():
        table[name] = [((k, "u32"), k) for k in INTEGER]
    table["extract_bits"] = [((k, "u32", "u32"), k) for k in ("u32", "i32")]
    same("mul_high", 2, ("u32", "i32"))
    same("logical_not", 1, ("boolean",))
    same("logical_and logical_or", 2, ("boolean",))
    same("eq ne", 2, VALUES, "boolean")
    same("lt le gt ge", 2, ARITH, "boolean")
    table["select"] = [(("boolean", k, k), k) for k in VALUES]
    table["convert"] = [((a,), b) for a in VALUES for b in VALUES if a != b]
    table["bitcast"] = [((a,), b) for group in (("u32", "i32", "f32"), ("u64", "i64"))
                        for a in group for b in group if a != b]
    table["half_to_float"] = [(("u32",), "f32")]
    table["float_to_half"] = [(("f32",), "u32")]
    same("is_nan is_inf", 1, FLOATING, "boolean")
    same("fma mix smoothstep", 3, FLOATING)
    same("sqrt inverse_sqrt floor ceil trunc round fract exp exp2 log log2 sin cos tan asin acos "
         "atan sinh cosh tanh asinh acosh atanh degrees radians saturate", 1, FLOATING)
    same("pow atan2 step", 2, FLOATING)
    table["ldexp"] = [(("f32", "i32"), "f32")]
    return table


def operands(op, types):
    if op in ("shl", "shr", "rotl", "rotr"):
        return list(itertools.product(few(types[0], 2), COUNTS))
    if op == "extract_bits":
        return list(itertools.product(few(types[0], 3) + [0x12345678], [0, 1, 8, 31, 32, 33, 2**32 - 1],
                                      [0, 1, 8, 31, 32, 33, 2**32 - 1]))
    if op == "half_to_float":
        return [(v,) for v in F16_SPECIAL] + [(v | 0xABCD0000,) for v in F16_SPECIAL[:6]]
    if op == "ldexp":
        return list(itertools.product(F32_PAIR, [0, 1, -1, 3, 23, 24, -24, 127, 128, -126, -127, -149,
                                                 -150, 254, 278, -278, 2147483647, -2147483648]))
    if op == "bitcast" and types[0] in ("u32", "i32"):
        return [(v,) for v in specials(types[0])] + [(to_int(v, *INTS[types[0]]),) for v in F32_SPECIAL]
    return operand_sets(types)


# ----------------------------------------------------------------------------------------- text


def spelled(kind, value):
    if isinstance(value, str):
        return value
    if isinstance(value, vf.Bits):
        return f"0x{value.bits:08x}"
    if kind == "boolean":
        return "true" if value else "false"
    if kind in FORMATS:
        return f"0x{value:0{FORMATS[kind].width // 4}x}"
    return str(value)


def text(op, rows):
    lines = ["# SPDX-License-Identifier: MIT OR Apache-2.0",
             f"# {op}: operands | result.  Written by tools/make_vectors.py."]
    for types, to in rows:
        lines.append(f"[{' '.join(types)} -> {to}]")
        for values in operands(op, types):
            expected = result(op, types, to, values)
            if expected is None:  # the specification leaves it open
                continue
            given = " ".join(spelled(t, v) for t, v in zip(types, values))
            lines.append(f"{given} | {spelled(to, expected)}")
    return "\n".join(lines) + "\n"


def main(arguments):
    check = "--check" in arguments
    rest = [a for a in arguments if a != "--check"]
    default = pathlib.Path(__file__).parent.parent / "tests/conformance/vectors"
    folder = pathlib.Path(rest[0]) if rest else default
    stale = []
    for op, rows in signatures().items():
        path = folder / f"{op}.txt"
        content = text(op, rows)
        if check and (not path.exists() or path.read_text() != content):
            stale.append(path.name)
        if not check:
            path.write_text(content)
    if stale:
        sys.exit("stale: " + " ".join(stale))


if __name__ == "__main__":
    main(sys.argv[1:])
