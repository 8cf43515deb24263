# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random expressions of WGSL: types, values, places and calls.

Types are "u32" …, ("vec", scalar, width), ("array", type, count) and ("struct", name).
"""

SCALARS = ("u32", "i32", "bool", "f32")
WIDE = ("u64", "i64")
SUFFIX = {"u32": "u", "i32": "i", "u64": "lu", "i64": "li"}


def scalar_of(kind):
    return kind[1] if isinstance(kind, tuple) and kind[0] == "vec" else kind


class Scope:
    """What is visible where a statement stands."""

    def __init__(self):
        self.locals = {}       # name: (type, is it a var)
        self.own = set()       # names of this very block
        self.pointers = {}     # name: type
        self.spaces = {}       # of the pointers
        self.globals = set()
        self.result = None     # None: no return; "": return without a value
        self.breaks = self.continues = self.plain = False
        self.depth, self.calls = 0, 3

    def nested(self):
        inner = Scope()
        inner.__dict__.update(self.__dict__)
        inner.locals, inner.own = dict(self.locals), set()
        return inner

    def plainly(self):
        """The same, without calls and computed indices."""
        inner = self.nested()
        inner.calls, inner.plain = 0, True
        return inner


class Expressions:
    """What is declared, and expressions over it."""

    def __init__(self, rng, wide):
        self.rng = rng
        self.scalars = SCALARS + (WIDE if wide else ())
        self.structs = {}      # name: [(member, type)]
        self.globals = {}      # name: (space, type)
        self.tables = {}       # name: ("array", type, count): constants of the module
        self.atomics = []      # (name, scalar) of workgroup memory
        self.functions = []    # (name, parameters, result, globals it may name)
        self.names = 0

    # ------------------------------------------------------------------------------------ types

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def scalar(self, shared=False):
        return self.rng.choice([k for k in self.scalars if k != "bool" or not shared])

    def simple(self, shared=False):
        kind = self.scalar(shared)
        return ("vec", kind, self.rng.randrange(2, 5)) if self.rng.random() < 0.35 else kind

    def type(self, depth=2, shared=False):
        roll = self.rng.random()
        usable = [s for s in self.structs if not shared or self.is_shared(("struct", s))]
        if depth and roll < 0.2:
            return ("array", self.type(depth - 1, shared), self.rng.randrange(1, 5))
        if depth and roll < 0.4 and usable:
            return ("struct", self.rng.choice(usable))
        return self.simple(shared)

    def is_shared(self, kind):
        if scalar_of(kind) == "bool":
            return False
        if kind[0] == "array":
            return self.is_shared(kind[1])
        if kind[0] == "struct":
            return all(self.is_shared(member) for _, member in self.structs[kind[1]])
        return True

    def add_struct(self):
        shared = self.rng.random() < 0.6
        members = [(f"m{i}", self.type(1, shared)) for i in range(self.rng.randrange(1, 5))]
        self.structs[self.name("S")] = members

    def add_globals(self):
        for space in ("private", "workgroup", "storage"):
            for _ in range(self.rng.randrange(0, 3)):
                self.globals[self.name(space)] = (space, self.type(2, space == "storage"))
        for _ in range(self.rng.randrange(0, 3)):
            self.tables[self.name("kTable")] = ("array", self.simple(), self.rng.randrange(1, 6))
        for _ in range(self.rng.randrange(0, 2)):
            self.atomics.append((self.name("counter"), self.rng.choice(("u32", "i32"))))

    def spell(self, kind):
        if isinstance(kind, str):
            return kind
        if kind[0] == "vec":
            return f"vec{kind[2]}<{kind[1]}>"
        if kind[0] == "array":
            return f"array<{self.spell(kind[1])}, {kind[2]}>"
        return kind[1]

    # -------------------------------------------------------------------------------- expressions

    def literal(self, kind):
        if kind == "bool":
            return self.rng.choice(("true", "false"))
        if kind == "f32":
            return f"{self.rng.randrange(-9, 10)}.0"
        small = self.rng.randrange(-6, 12)
        large = [0x7fffffff, -0x7fffffff, 255]
        if kind in WIDE:
            large += [(1 << 63) - 1, 1 - (1 << 63), 1 << 32]
        value = small if self.rng.random() < 0.8 else self.rng.choice(large)
        if kind[0] == "u":
            return f"{abs(value)}{SUFFIX[kind]}" if self.rng.random() < 0.8 else f"{kind}({abs(value)})"
        return f"{kind}({value})"

    def value(self, kind, scope, depth=3):
        """An expression of a type."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return self.leaf(kind, scope)
        places = self.places(kind, scope)
        if places and rng.random() < 0.4:
            return rng.choice(places)[0]
        calls = [f for f in self.functions if f[2] == kind]
        if calls and scope.calls > 0 and rng.random() < 0.25:
            call = self.call(rng.choice(calls), scope, depth - 1)
            if call:
                return call
        table = self.entry_of(kind, scope)
        if table and rng.random() < 0.15:
            return table
        if kind[0] == "array":
            parts = [self.value(kind[1], scope, depth - 2) for _ in range(kind[2])]
            return f"{self.spell(kind)}({', '.join(parts)})"
        if kind[0] == "struct":
            parts = [self.value(k, scope, depth - 2) for _, k in self.structs[kind[1]]]
            return f"{kind[1]}({', '.join(parts)})"
        if kind[0] == "vec":
            return self.vector(kind, scope, depth)
        return self.number(kind, scope, depth)

    def constant(self, kind):
        if isinstance(kind, str):
            return self.literal(kind)
        return f"{self.spell(kind)}({', '.join(self.literal(kind[1]) for _ in range(kind[2]))})"

    def leaf(self, kind, scope):
        places = self.places(kind, scope)
        if places and self.rng.random() < 0.7:
            return self.rng.choice(places)[0]
        if isinstance(kind, str):
            return self.literal(kind)
        if kind[0] == "vec":
            return f"{self.spell(kind)}({self.literal(kind[1])})"
        return f"{self.spell(kind)}()"

    def entry_of(self, kind, scope):
        """An element of a constant table, at a place that is known or not."""
        tables = [(name, of) for name, of in self.tables.items() if of[1] == kind]
        if not tables:
            return None
        name, of = self.rng.choice(tables)
        return f"{name}[{self.index(of[2], scope)}]"

    def many_bits(self, kind, scope, depth):
        """Built-in functions of integers, scalar or vector."""
        rng = self.rng
        a, b, c = (self.value(kind, scope, depth - 2) for _ in range(3))
        width = kind[2] if kind[0] == "vec" else 1
        small = [f"({self.value('u32', scope.plainly(), 1)})" for _ in range(2)]
        forms = [f"countLeadingZeros({a})", f"countTrailingZeros({a})", f"firstTrailingBit({a})",
                 f"clamp({a}, min({b}, {c}), max({b}, {c}))",
                 f"extractBits({a}, {small[0]} & 15u, {small[1]} & 15u)",
                 f"insertBits({a}, {b}, {small[0]} & 15u, {small[1]} & 15u)"]
        if scalar_of(kind) == "i32":
            forms.append(f"sign({a})")
        if width == 1 and kind == "u32":
            four = ("vec", "u32", 4)
            forms += [f"dot4U8Packed({a}, {b})", f"pack4xU8({self.value(four, scope, depth - 2)})",
                      f"dot({self.value(four, scope, depth - 2)}, {self.value(four, scope, depth - 2)})"]
        if width == 4 and kind[1] == "u32":
            forms.append(f"unpack4xU8({self.value('u32', scope, depth - 2)})")
        return rng.choice(forms)

    def binary(self, kind, scope, depth):
        rng = self.rng
        a, b = (self.value(kind, scope, depth - 1) for _ in range(2))
        scalar = scalar_of(kind)
        if scalar == "bool":
            return f"({a} {rng.choice('&|')} {b})"
        if scalar == "f32":
            return f"{rng.choice(('min', 'max'))}({a}, {b})"
        if rng.random() < 0.15 and scalar not in WIDE:
            return self.many_bits(kind, scope, depth)
        op = rng.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        if op in ("/", "%"):
            return f"({a} {op} ({b} | {self.spell(kind)}({self.literal(scalar)})))"
        if op in ("<<", ">>"):
            count = kind if isinstance(kind, str) else None
            ones = f"{'u32' if count else f'vec{kind[2]}<u32>'}({63 if scalar in WIDE else 31}u)"
            return f"({a} {op} ({self.value('u32' if count else ('vec', 'u32', kind[2]), scope, depth - 2)} & {ones}))"
        return f"({a} {op} {b})"

    def vector(self, kind, scope, depth):
        rng = self.rng
        _, scalar, width = kind
        roll = rng.random()
        if roll < 0.25:
            return f"{self.spell(kind)}({', '.join(self.value(scalar, scope, depth - 1) for _ in range(width))})"
        if roll < 0.4:
            wide = ("vec", scalar, rng.randrange(2, 5))
            letters = "".join(rng.choice("xyzw"[:wide[2]]) for _ in range(width))
            return f"{self.value(wide, scope, depth - 1)}.{letters}"
        if roll < 0.5 and scalar == "bool":
            other = ("vec", self.scalar(True), width)
            a, b = (self.value(other, scope, depth - 1) for _ in range(2))
            return f"({a} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {b})"
        if roll < 0.6:
            a, b = (self.value(kind, scope, depth - 1) for _ in range(2))
            return f"select({a}, {b}, {self.value(('vec', 'bool', width), scope, depth - 1)})"
        if roll < 0.7 and width > 2:
            part = ("vec", scalar, width - 1)
            return f"{self.spell(kind)}({self.value(part, scope, depth - 1)}, {self.value(scalar, scope, depth - 1)})"
        return self.binary(kind, scope, depth)

    def number(self, kind, scope, depth):
        rng = self.rng
        roll = rng.random()
        if roll < 0.12:
            wide = ("vec", kind, rng.randrange(2, 5))
            return f"{self.value(wide, scope, depth - 1)}.{rng.choice('xyzw'[:wide[2]])}"
        if roll < 0.22:
            a, b = (self.value(kind, scope, depth - 1) for _ in range(2))
            return f"select({a}, {b}, {self.value('bool', scope, depth - 1)})"
        if kind == "bool":
            if roll < 0.4:
                a, b = (self.value("bool", scope, depth - 1) for _ in range(2))
                return f"({a} {rng.choice(('&&', '||'))} {b})"
            if roll < 0.45:
                wide = ("vec", "bool", rng.randrange(2, 5))
                return f"{rng.choice(('any', 'all'))}({self.value(wide, scope, depth - 1)})"
            if roll < 0.5:
                return f"!{self.value('bool', scope, depth - 1)}"
            other = self.scalar(True)
            a, b = (self.value(other, scope, depth - 1) for _ in range(2))
            return f"({a} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {b})"
        if kind == "f32":
            if roll < 0.5:
                return f"f32({self.value('i32', scope, depth - 1)} & 1023)"
            return rng.choice((f"abs({self.value('f32', scope, depth - 1)})",
                               f"-({self.value('f32', scope, depth - 1)})",
                               self.binary(kind, scope, depth)))
        if roll < 0.35:
            other = rng.choice([k for k in self.scalars if k not in (kind, "f32")])
            return f"{kind}({self.value(other, scope, depth - 1)})"
        atomics = [name for name, of in self.atomics if of == kind]
        if roll < 0.38 and atomics and scope.calls > 0:
            what = rng.choice(("Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange"))
            return f"atomic{what}(&{rng.choice(atomics)}, {self.value(kind, scope, depth - 1)})"
        if roll < 0.45:
            one = rng.choice(("abs", "~") if kind in WIDE else ("countOneBits", "reverseBits", "firstLeadingBit", "abs", "~"))
            return f"{one}({self.value(kind, scope, depth - 1)})"
        if roll < 0.55:
            a, b = (self.value(kind, scope, depth - 1) for _ in range(2))
            return f"{rng.choice(('min', 'max'))}({a}, {b})"
        return self.binary(kind, scope, depth)

    def index(self, count, scope):
        if self.rng.random() < 0.5:
            return f"{self.rng.randrange(count)}"
        return f"({self.value('u32', scope, 1)} % {count}u)"

    # ------------------------------------------------------------------------------------- places

    def parts(self, text, kind, scope, components=True):
        """A place and random parts of it, and components of vectors, which have no address."""
        yield text, kind
        if kind[0] == "vec" and components:
            yield f"{text}.{self.rng.choice('xyzw'[:kind[2]])}", kind[1]
            yield f"{text}[{self.rng.randrange(kind[2])}]", kind[1]
        elif kind[0] == "array":
            at = self.rng.randrange(kind[2]) if scope.plain else None
            at = at if at is not None else self.index(kind[2], scope.plainly())
            yield from self.parts(f"{text}[{at}]", kind[1], scope, components)
        elif kind[0] == "struct":
            for member, inner in self.structs[kind[1]]:
                yield from self.parts(f"{text}.{member}", inner, scope, components)

    def roots(self, scope, writable):
        for name, (kind, is_var) in scope.locals.items():
            if is_var or not writable:
                yield name, kind, name
        for name, kind in scope.pointers.items():
            yield f"(*{name})", kind, name
        for name in sorted(scope.globals):
            yield name, self.globals[name][1], name

    def places(self, wanted, scope, writable=False):
        """(text, root) of the places of a type."""
        found = []
        for text, kind, root in self.roots(scope, writable):
            for part, inner in self.parts(text, kind, scope):
                if inner == wanted:
                    found.append((part, root))
        return found

    # -------------------------------------------------------------------------------------- calls

    def call(self, function, scope, depth):
        name, parameters, _, touched = function
        if not touched <= scope.globals:
            return None
        scope.calls -= 1
        taken, words = set(touched), []
        for space, kind in parameters:
            if space is None:
                words.append(self.value(kind, scope, depth - 1))
                continue
            choices = [(text, root) for text, root in self.pointable(kind, space, scope) if root not in taken]
            if not choices:
                return None
            text, root = self.rng.choice(choices)
            taken.add(root)
            words.append(text)
        return f"{name}({', '.join(words)})"

    def pointable(self, kind, space, scope):
        """Arguments for a pointer parameter: whole variables and pointers, and parts of them."""
        if space == "function":
            for name, (root, is_var) in scope.locals.items():
                if is_var:
                    yield from ((f"&{part}", name)
                                for part, inner in self.parts(name, root, scope.plainly(), False)
                                if inner == kind)
            for name, root in scope.pointers.items():
                if scope.spaces[name] == "function" and root == kind:
                    yield name, name
        else:
            for name in sorted(scope.globals):
                if self.globals[name][0] == space:
                    yield from ((f"&{part}", name)
                                for part, inner in self.parts(
                                    name, self.globals[name][1], scope.plainly(), False)
                                if inner == kind)
