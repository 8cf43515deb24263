# SPDX-License-Identifier: MIT OR Apache-2.0
"""IEEE 754 binary32 and binary16 from first principles, for tools/make_vectors.py.

A number is exact (a fraction with a sign, so that zeros have one) or infinite or a NaN; `encode`
rounds it once, to nearest even.  Nothing here uses the host's floating point.
"""
import dataclasses
from fractions import Fraction

import mpmath

mpmath.mp.prec = 200


@dataclasses.dataclass(frozen=True)
class Format:
    width: int
    fraction: int

    @property
    def bias(self):
        return (1 << (self.width - self.fraction - 2)) - 1

    @property
    def least(self):
        """The exponent of the smallest subnormal."""
        return 1 - self.bias - self.fraction

    @property
    def infinity(self):
        return ((1 << (self.width - self.fraction - 1)) - 1) << self.fraction

    @property
    def largest(self):
        return decode(self.infinity - 1, self).value


F32 = Format(32, 23)
F16 = Format(16, 10)
FORMATS = {"f32": F32, "f16": F16}


@dataclasses.dataclass(frozen=True)
class Bits:
    """A result whose bits are promised, also those of a NaN."""
    bits: int


@dataclasses.dataclass(frozen=True)
class Number:
    negative: bool
    value: Fraction = Fraction(0)  # finite: with its sign
    infinite: bool = False
    nan: bool = False

    @property
    def zero(self):
        return not self.nan and not self.infinite and self.value == 0

    @property
    def sign(self):
        return -1 if self.negative else 1


NAN = Number(False, nan=True)


def number(value, negative_zero=False):
    value = Fraction(value)
    return Number(value < 0 or (value == 0 and negative_zero), value)


def infinity(negative):
    return Number(negative, infinite=True)


def decode(bits, fmt):
    negative = bool(bits >> (fmt.width - 1))
    exponent = (bits & ~(1 << (fmt.width - 1))) >> fmt.fraction
    fraction = bits & ((1 << fmt.fraction) - 1)
    if exponent << fmt.fraction == fmt.infinity:
        return NAN if fraction else infinity(negative)
    if exponent:
        fraction |= 1 << fmt.fraction
    value = Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - 1 + fmt.least)
    return Number(negative, -value if negative else value)


def exponent_of(value):
    """e with 2^e ≤ value < 2^(e+1)."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def rounded_even(value):
    return round(value)  # Fraction.__round__ rounds halves to even


def encode(n, fmt):
    """The bits, or "nan"."""
    if n.nan:
        return "nan"
    sign = int(n.negative) << (fmt.width - 1)
    if n.infinite:
        return sign | fmt.infinity
    if n.value == 0:
        return sign
    magnitude = abs(n.value)
    unit = max(exponent_of(magnitude) - fmt.fraction, fmt.least)
    steps = rounded_even(magnitude / Fraction(2) ** unit)
    bits = steps + ((unit - fmt.least) << fmt.fraction)  # a carry moves into the exponent by itself
    return sign | min(bits, fmt.infinity)


def round_to(n, fmt):
    bits = encode(n, fmt)
    return NAN if bits == "nan" else decode(bits, fmt)


def half_word(n):
    """float_to_half: sixteen bits in a u32; a NaN's payload is open, so the word says so."""
    bits = encode(n, F16)
    return "half-nan" if bits == "nan" else bits


def to_integer(n, fmt, width, signed):
    """Clamps to what both types can represent, then truncates."""
    if n.nan:
        return 0
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    low = max(Fraction(low), -fmt.largest)
    high = min(below(high, fmt), fmt.largest)
    if n.infinite:
        return int(low if n.negative else high)
    return int(min(max(n.value, low), high))


def below(limit, fmt):
    """The largest value of the format that is not above an integer limit."""
    unit = max(limit.bit_length() - 1 - fmt.fraction, 0)
    return Fraction((limit >> unit) << unit)


def compare(op, a, b):
    if a.nan or b.nan:
        return op == "ne"
    x, y = order(a), order(b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op]


def order(n):
    """Something that compares as the number does; zeros are equal."""
    return (n.sign if n.infinite else 0, Fraction(0) if n.infinite else n.value)


# ------------------------------------------------------------------------- exact, not yet rounded


def negated(a):
    return dataclasses.replace(a, negative=not a.negative, value=-a.value)


def absolute(a):
    return negated(a) if a.negative else a


def added(a, b):
    if a.nan or b.nan or (a.infinite and b.infinite and a.negative != b.negative):
        return NAN
    if a.infinite or b.infinite:
        return a if a.infinite else b
    return number(a.value + b.value, negative_zero=a.zero and b.zero and a.negative and b.negative)


def multiplied(a, b):
    negative = a.negative != b.negative
    if a.nan or b.nan or (a.infinite and b.zero) or (a.zero and b.infinite):
        return NAN
    if a.infinite or b.infinite:
        return infinity(negative)
    return number(a.value * b.value, negative_zero=negative)


def divided(a, b):
    negative = a.negative != b.negative
    if a.nan or b.nan or (a.infinite and b.infinite) or (a.zero and b.zero):
        return NAN
    if a.infinite or b.zero:
        return infinity(negative)
    return number(0 if b.infinite else a.value / b.value, negative_zero=negative)


def integral(a, rounding):
    if a.nan or a.infinite:
        return a
    return number(rounding(a.value), negative_zero=a.negative)


def truncated(a):
    return integral(a, int)


def floored(a):
    return integral(a, lambda v: v.numerator // v.denominator)


def ceiled(a):
    return integral(a, lambda v: -(-v.numerator // v.denominator))


def least(a, b):
    if a.nan or b.nan:
        return b if a.nan else a
    if a.zero and b.zero:
        return a if a.negative else b
    return a if order(a) <= order(b) else b


def greatest(a, b):
    return negated(least(negated(a), negated(b)))


# ---------------------------------------------------------------- operators with rounded steps
# Each step of a formula is rounded to binary32, also where the operands are binary16: then only the
# result is rounded to that.


ONE, TWO, THREE = number(1), number(2), number(3)


def remainder(a, b, fmt):
    """x - y * trunc(x / y)."""
    quotient = truncated(round_to(divided(a, b), fmt))
    product = round_to(multiplied(b, quotient), fmt)
    return added(a, negated(product))


def mixed(x, y, a, fmt):
    rest = round_to(added(ONE, negated(a)), fmt)
    return added(round_to(multiplied(x, rest), fmt), round_to(multiplied(y, a), fmt))


def smooth(low, high, x, fmt):
    above = round_to(added(x, negated(low)), fmt)
    span = round_to(added(high, negated(low)), fmt)
    t = saturated(round_to(divided(above, span), fmt))
    square = round_to(multiplied(t, t), fmt)
    rest = round_to(added(THREE, negated(round_to(multiplied(TWO, t), fmt))), fmt)
    return multiplied(square, rest)


def saturated(x):
    return least(greatest(x, number(0)), ONE)


def scaled(x, by):
    """x times 2^by; the exponent is bounded so that the fraction stays small."""
    if x.nan or x.infinite:
        return x
    return number(x.value * Fraction(2) ** max(min(by, 400), -400), negative_zero=x.negative)


def constant(bits32, fmt):
    """A constant of a formula, given as binary32."""
    return round_to(decode(bits32, F32), fmt)


def square_root(x):
    if x.nan or x.zero:
        return x
    if x.negative:
        return NAN
    if x.infinite:
        return x
    root = mpmath.sqrt(mpmath.mpf(x.value.numerator) / x.value.denominator)
    exact = exact_fraction(root)
    return number(exact)  # 200 bits: no root of 24 bits lies that near to a halfway case


def exact_fraction(value):
    sign, mantissa, exponent, _ = value._mpf_
    return (-1 if sign else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def sign_of(x):
    if x.nan:
        return None
    return "zero" if x.zero else x.sign


EXACT = {
    "neg": lambda f, a: negated(a),
    "abs": lambda f, a: absolute(a),
    "add": lambda f, a, b: added(a, b),
    "sub": lambda f, a, b: added(a, negated(b)),
    "mul": lambda f, a, b: multiplied(a, b),
    "div": lambda f, a, b: divided(a, b),
    "rem": lambda f, a, b: remainder(a, b, f),
    "min": lambda f, a, b: least(a, b),
    "max": lambda f, a, b: greatest(a, b),
    "clamp": lambda f, a, b, c: least(greatest(a, b), c),
    "fma": lambda f, a, b, c: added(multiplied(a, b), c),
    "sqrt": lambda f, a: square_root(a),
    "floor": lambda f, a: floored(a),
    "ceil": lambda f, a: ceiled(a),
    "trunc": lambda f, a: truncated(a),
    "round": lambda f, a: integral(a, rounded_even),
    "fract": lambda f, a: added(a, negated(floored(a))),
    "degrees": lambda f, a: multiplied(a, constant(0x42652EE1, f)),
    "radians": lambda f, a: multiplied(a, constant(0x3C8EFA35, f)),
    "saturate": lambda f, a: saturated(a),
    "step": lambda f, a, b: number(int(compare("le", a, b))),
    "mix": lambda f, a, b, c: mixed(a, b, c, f),
    "smoothstep": lambda f, a, b, c: smooth(a, b, c, f),
}


# --------------------------------------------------------------------------- transcendental ones


def real(x):
    return mpmath.mpf(x.value.numerator) / x.value.denominator


def acosh(v):
    return mpmath.acosh(v) if v >= 1 else None


def unit_only(function):
    return lambda v: function(v) if abs(v) <= 1 else None


def positive_only(function):
    return lambda v: function(v) if v > 0 else ("-inf" if v == 0 else None)


def atanh(v):
    if abs(v) == 1:
        return "inf" if v > 0 else "-inf"
    return mpmath.atanh(v) if abs(v) < 1 else None


def inverse_root(v):
    return 1 / mpmath.sqrt(v) if v > 0 else None


HALF_PI = mpmath.pi / 2
# name: (function of a finite operand; None means NaN), value at +inf, value at -inf
UNARY = {
    "exp": (mpmath.exp, "inf", 0), "exp2": (lambda v: mpmath.power(2, v), "inf", 0),
    "log": (positive_only(mpmath.log), "inf", None),
    "log2": (positive_only(lambda v: mpmath.log(v, 2)), "inf", None),
    "sin": (mpmath.sin, None, None), "cos": (mpmath.cos, None, None),
    "tan": (mpmath.tan, None, None),
    "asin": (unit_only(mpmath.asin), None, None), "acos": (unit_only(mpmath.acos), None, None),
    "atan": (mpmath.atan, HALF_PI, -HALF_PI),
    "sinh": (mpmath.sinh, "inf", "-inf"), "cosh": (mpmath.cosh, "inf", "inf"),
    "tanh": (mpmath.tanh, mpmath.mpf(1), mpmath.mpf(-1)),
    "asinh": (mpmath.asinh, "inf", "-inf"), "acosh": (acosh, "inf", None),
    "atanh": (atanh, None, None),
    "inverse_sqrt": (inverse_root, 0, None),
}
ODD = {"sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh"}  # f(-0) is -0


def unary(op, x, fmt):
    function, at_inf, at_minus_inf = UNARY[op]
    if x.nan:
        return "nan"
    if x.infinite:
        return spelled(at_minus_inf if x.negative else at_inf, fmt)
    if x.zero and op in ODD:
        return encode(x, fmt)
    if x.zero and op == "inverse_sqrt":
        return encode(infinity(x.negative), fmt)
    return spelled(function(real(x)), fmt)


def spelled(value, fmt):
    """A real as decimal text; what is beyond the format or no number as a word or bits."""
    if value is None:
        return "nan"
    if isinstance(value, str):
        return value
    if value == 0:
        return encode(number(0), fmt)
    if abs(value) >= mpmath.mpf(2) ** (fmt.bias + 1):
        return "inf" if value > 0 else "-inf"
    if abs(value) < mpmath.mpf(2) ** (fmt.least - 20):
        return "1e-60" if value > 0 else "-1e-60"
    return mpmath.nstr(value, 20, min_fixed=0, max_fixed=0)


def power(x, y, fmt):
    """Within the domain that every target shares: x ≥ 0, and what IEEE 754 says at its edges."""
    if x.nan or y.nan or (x.negative and not x.zero):
        return None
    if x.zero or x.infinite or y.infinite or y.zero:
        return None if x.zero and x.negative else power_at_edges(x, y, fmt)
    return spelled(mpmath.power(real(x), real(y)), fmt)


def power_at_edges(x, y, fmt):
    one = order(x) == order(ONE)
    if y.zero or one:
        return encode(ONE, fmt)
    grows = (order(x) > order(ONE)) != y.negative
    return "inf" if grows else encode(number(0), fmt)


def angle(y, x, fmt):
    if x.nan or y.nan:
        return "nan"
    if x.infinite or y.infinite:
        return spelled(angle_of_infinite(y, x), fmt) if y.infinite or x.negative else \
            encode(number(0, negative_zero=y.negative), fmt)
    if y.zero and not x.negative:
        return encode(y, fmt)
    if y.zero:
        return spelled(y.sign * mpmath.pi, fmt)
    return spelled(mpmath.atan2(real(y), real(x)), fmt)


def angle_of_infinite(y, x):
    if not y.infinite:
        return y.sign * mpmath.pi
    part = {(True, False): 1, (True, True): 3}.get((x.infinite, x.negative), 2)
    return y.sign * part * mpmath.pi / 4


def evaluate(op, values, fmt):
    """Bits, "nan", another word or decimal text; None where the specification leaves it open."""
    if op == "ldexp":
        return encode(scaled(decode(values[0], fmt), values[1]), fmt)
    numbers = [decode(v, fmt) for v in values]
    if op in ("is_nan", "is_inf"):
        return int(numbers[0].nan if op == "is_nan" else numbers[0].infinite)
    if op == "sign":
        found = sign_of(numbers[0])
        return found if found in (None, "zero") else encode(number(found), fmt)
    if op in EXACT:
        exact = EXACT[op](F32, *numbers)
        return "zero" if op == "rem" and exact.zero else encode(exact, fmt)
    if op == "pow":
        return power(*numbers, fmt)
    if op == "atan2":
        return angle(*numbers, fmt)
    return unary(op, numbers[0], fmt)
