# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random WGSL: whole texts with functions, pointers, structures and every statement.

`Module(random.Random(seed)).text()` is valid, ends, has one invocation a workgroup, and hashes what
it computed into `out`.  Arithmetic is exact: integers, booleans, and floats that hold small ones.
"""

SCALARS = ("u32", "i32", "bool", "f32")
LETTER = {"u32": "u", "i32": "i", "bool": "<bool>", "f32": "f"}


def scalar_of(kind):
    return kind[1] if isinstance(kind, tuple) and kind[0] == "vec" else kind


class Module:
    """Types are "u32" …, ("vec", scalar, width), ("array", type, count) and ("struct", name)."""

    def __init__(self, rng, functions=4, statements=14):
        self.rng, self.size = rng, statements
        self.structs = {}      # name: [(member, type)]
        self.globals = {}      # name: (space, type)
        self.tables = {}       # name: ("array", type, count): constants of the module
        self.atomics = []      # (name, scalar) of workgroup memory
        self.functions = []    # (name, parameters, result, globals it may name)
        self.names = 0
        for _ in range(rng.randrange(1, 4)):
            self.add_struct()
        self.add_globals()
        bodies = [self.function() for _ in range(functions)]
        self.body = self.entry()
        self.bodies = bodies

    # ------------------------------------------------------------------------------------ types

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def scalar(self, shared=False):
        return self.rng.choice(("u32", "i32", "f32") if shared else SCALARS)

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
        if self.rng.random() < 0.2:
            return f"{kind}({abs(small)})" if kind == "u32" else f"{kind}({small})"
        value = small if self.rng.random() < 0.8 else self.rng.choice((0x7fffffff, -0x7fffffff, 255))
        return f"{abs(value)}u" if kind == "u32" else f"i32({value})"

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
        if rng.random() < 0.15:
            return self.many_bits(kind, scope, depth)
        op = rng.choice(("+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"))
        if op in ("/", "%"):
            return f"({a} {op} ({b} | {self.spell(kind)}({self.literal(scalar)})))"
        if op in ("<<", ">>"):
            count = kind if isinstance(kind, str) else None
            ones = "u32" if count else f"vec{kind[2]}<u32>"
            return f"({a} {op} ({self.value('u32' if count else ('vec', 'u32', kind[2]), scope, depth - 2)} & {ones}(31u)))"
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
            other = ("vec", rng.choice(("u32", "i32", "f32")), width)
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
            other = rng.choice(("u32", "i32", "f32"))
            a, b = (self.value(other, scope, depth - 1) for _ in range(2))
            return f"({a} {rng.choice(('<', '<=', '>', '>=', '==', '!='))} {b})"
        if kind == "f32":
            if roll < 0.5:
                return f"f32({self.value('i32', scope, depth - 1)} & 1023)"
            return rng.choice((f"abs({self.value('f32', scope, depth - 1)})",
                               f"-({self.value('f32', scope, depth - 1)})",
                               self.binary(kind, scope, depth)))
        if roll < 0.35:
            other = rng.choice([k for k in ("u32", "i32", "bool") if k != kind])
            return f"{kind}({self.value(other, scope, depth - 1)})"
        atomics = [name for name, of in self.atomics if of == kind]
        if roll < 0.38 and atomics and scope.calls > 0:
            what = rng.choice(("Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exchange"))
            return f"atomic{what}(&{rng.choice(atomics)}, {self.value(kind, scope, depth - 1)})"
        if roll < 0.45:
            one = rng.choice(("countOneBits", "reverseBits", "firstLeadingBit", "abs", "~"))
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

    # --------------------------------------------------------------------------------- statements

    def block(self, scope, budget):
        inner = scope.nested()
        lines = []
        while budget > 0:
            made, cost, ends = self.statement(inner, budget)
            lines += made
            budget -= cost
            if ends:
                break
        return ["  " + line for line in lines]

    def statement(self, scope, budget):
        rng = self.rng
        roll = rng.random()
        if roll < 0.3:
            return self.declare(scope), 1, False
        if roll < 0.55 or budget < 3:
            return self.assign(scope), 1, False
        if roll < 0.62:
            calls = [f for f in self.functions]
            call = self.call(rng.choice(calls), scope, 2) if calls and scope.calls > 0 else None
            return ([f"_ = {call};" if self.result_of(call) else f"{call};"] if call else []), 1, False
        if roll < 0.66:
            return self.jump(scope)
        part = budget // 2
        if roll < 0.76:
            lines = [f"if {self.value('bool', scope)} {{", *self.block(scope, part)]
            if rng.random() < 0.3:
                lines += [f"}} else if {self.value('bool', scope.plainly())} {{", *self.block(scope, part // 2)]
            if rng.random() < 0.5:
                lines += ["} else {", *self.block(scope, part // 2)]
            return lines + ["}"], part + 1, False
        if roll < 0.83:
            return self.switch(scope, part), part + 1, False
        if roll < 0.96 and scope.depth < 3:
            return self.loop(scope, part), part + 1, False
        return ["{", *self.block(scope, part), "}"], part + 1, False

    def result_of(self, call):
        return next(f[2] for f in self.functions if call.startswith(f[0] + "("))

    def declare(self, scope):
        rng = self.rng
        roll = rng.random()
        if roll < 0.15:
            targets = [(t, r, k) for k in [self.type()] for t, r in self.pointable(k, "function", scope)]
            if targets:
                text, _, kind = rng.choice(targets)
                return self.through_pointer(text, kind, scope)
        kind = self.type()
        name = self.name("v")
        outer = [n for n in scope.locals if n[0] == "v" and n not in scope.own]
        if outer and rng.random() < 0.1:
            name = rng.choice(outer)  # which it hides from now on
        scope.own.add(name)
        typed = f": {self.spell(kind)}" if rng.random() < 0.5 else ""
        if roll < 0.3:
            line = f"let {name}{typed} = {self.value(kind, scope)};"
            scope.locals[name] = (kind, False)
        elif roll < 0.4:
            line = f"var {name}: {self.spell(kind)};"
            scope.locals[name] = (kind, True)
        else:
            line = f"var {name}{typed} = {self.value(kind, scope)};"
            scope.locals[name] = (kind, True)
        return [line]

    def through_pointer(self, text, kind, scope):
        """A pointer in a let, used at once."""
        name = self.name("q")
        return ["{", f"  let {name} = {text};", f"  *{name} = {self.value(kind, scope.plainly())};", "}"]

    def assign(self, scope):
        rng = self.rng
        kind = self.simple() if rng.random() < 0.7 else self.type()
        places = self.places(kind, scope, writable=True)
        if not places:
            return []
        text, _ = rng.choice(places)
        value = self.value(kind, scope)
        scalar = scalar_of(kind)
        if scalar in ("u32", "i32") and rng.random() < 0.4:
            if isinstance(kind, str) and rng.random() < 0.3:
                return [f"{text}{rng.choice(('++', '--'))};"]
            return [f"{text} {rng.choice('+-*&|^')}= {value};"]
        if kind[0] == "vec" and rng.random() < 0.2:
            return [f"{text}.{rng.choice('xyzw'[:kind[2]])} = {self.value(kind[1], scope)};"]
        return [f"{text} = {value};"]

    def jump(self, scope):
        choices = []
        if scope.breaks:
            choices.append("break;")
        if scope.continues:
            choices.append("continue;")
        if scope.result is not None:
            choices.append(f"return{' ' + self.value(scope.result, scope) if scope.result else ''};")
        if not choices:
            return [], 1, False
        return [f"if {self.value('bool', scope)} {{ {self.rng.choice(choices)} }}"], 1, False

    def switch(self, scope, budget):
        kind = self.rng.choice(("u32", "i32"))
        inner = scope.nested()
        inner.breaks = True
        lines = [f"switch {self.value(kind, scope)} {{"]
        values = list(range(0 if kind == "u32" else -2, 8))
        self.rng.shuffle(values)
        count = self.rng.randrange(0, 4)
        default_at = self.rng.randrange(count + 1)
        for i in range(count + 1):
            words = [f"{values.pop()}" for _ in range(self.rng.randrange(1, 3))]
            if i == default_at:
                head = self.rng.choice(("default", f"case {words[0]}, default"))
            else:
                head = f"case {', '.join(words)}"
            lines += [f"  {head}: {{", *("  " + x for x in self.block(inner, budget // (count + 1))), "  }"]
        return lines + ["}"]

    def loop(self, scope, budget):
        rng = self.rng
        counter = self.name("n")
        limit = rng.randrange(1, 5)
        inner = scope.nested()
        inner.breaks, inner.depth = True, scope.depth + 1
        kind = rng.randrange(3)
        inner.continues = kind != 1
        body = self.block(inner, budget)
        condition = f"{counter} < {limit}u"
        if rng.random() < 0.3:
            condition += f" && {self.value('bool', scope.plainly(), 2)}"
        if kind == 0:
            return [f"for (var {counter} = 0u; {condition}; {counter}++) {{", *body, "}"]
        if kind == 1:
            return [f"var {counter} = 0u;", f"while {condition} {{", f"  {counter}++;", *body, "}"]
        return [f"var {counter} = 0u;", "loop {", f"  if !({condition}) {{ break; }}", *body, "  continuing {",
                f"    {counter} += 1u;", *(["    break if " + self.value("bool", scope.plainly(), 2) + ";"]
                                           if rng.random() < 0.3 else []), "  }", "}"]

    # ------------------------------------------------------------------------------------ the text

    def function(self):
        rng = self.rng
        name = self.name("fun")
        parameters, words = [], []
        scope = Scope()
        scope.result = "" if rng.random() < 0.25 else self.type(1)
        scope.globals = {g for g in self.globals if rng.random() < 0.4}
        for _ in range(rng.randrange(0, 4)):
            parameter = self.name("a")
            space = rng.choice((None, None, "function", "private", "storage", "workgroup"))
            kind = self.type(1, space == "storage")
            if space not in (None, "function"):
                options = [t for s, t in self.globals.values() if s == space]
                if not options:
                    space = None
                else:
                    kind = rng.choice(options)
            parameters.append((space, kind))
            if space is None:
                scope.locals[parameter] = (kind, False)
                words.append(f"{parameter}: {self.spell(kind)}")
            else:
                scope.pointers[parameter] = kind
                scope.spaces[parameter] = space
                access = ", read_write" if space == "storage" else ""
                words.append(f"{parameter}: ptr<{space}, {self.spell(kind)}{access}>")
        body = self.block(scope, rng.randrange(2, self.size))
        result = ""
        if scope.result:
            result = f" -> {self.spell(scope.result)}"
            body.append(f"  return {self.value(scope.result, scope)};")
        # Everything it may name counts: reads alias as well.
        self.functions.append((name, parameters, scope.result, frozenset(scope.globals)))
        return [f"fn {name}({', '.join(words)}){result} {{", *body, "}"]

    def hashes(self, text, kind):
        if isinstance(kind, str):
            word = {"u32": text, "i32": f"bitcast<u32>({text})", "bool": f"u32({text})",
                    "f32": f"bitcast<u32>({text} + 0.5)"}[kind]
            yield f"hash = (hash ^ {word}) * 16777619u;"
        elif kind[0] == "vec":
            for letter in "xyzw"[:kind[2]]:
                yield from self.hashes(f"{text}.{letter}", kind[1])
        elif kind[0] == "array":
            for i in range(kind[2]):
                yield from self.hashes(f"{text}[{i}]", kind[1])
        else:
            for member, inner in self.structs[kind[1]]:
                yield from self.hashes(f"{text}.{member}", inner)

    def entry(self):
        scope = Scope()
        scope.calls = 12
        scope.globals = set(self.globals)
        scope.locals["seed"] = ("u32", False)
        inner = scope.nested()
        inner.locals = scope.locals
        lines = self.block_in(inner, self.size * 2)
        lines += ["var hash = 2166136261u;"]
        for name, (kind, _) in inner.locals.items():
            lines += self.hashes(name, kind)
        for name, (_, kind) in self.globals.items():
            lines += self.hashes(name, kind)
        for name, kind in self.atomics:
            lines += self.hashes(f"atomicLoad(&{name})", kind)
        lines.append("out[group.x] = hash;")
        return ["@compute @workgroup_size(1)",
                "fn main(@builtin(workgroup_id) group: vec3u) {",
                "  let seed = input[group.x];", *("  " + line for line in lines), "}"]

    def block_in(self, scope, budget):
        lines = []
        while budget > 0:
            made, cost, _ = self.statement(scope, budget)
            lines += made
            budget -= cost
        return lines

    def text(self):
        lines = []
        for name, members in self.structs.items():
            lines.append(f"struct {name} {{ {', '.join(f'{m}: {self.spell(k)}' for m, k in members)} }}")
        lines.append("@group(0) @binding(0) var<storage> input: array<u32, 4>;")
        lines.append("@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;")
        self.bindings = []
        for name, (space, kind) in self.globals.items():
            if space == "storage":
                binding = 2 + len(self.bindings)
                self.bindings.append(name)
                lines.append(f"@group(0) @binding({binding}) var<storage, read_write> {name}: {self.spell(kind)};")
            else:
                lines.append(f"var<{space}> {name}: {self.spell(kind)};")
        for name, kind in self.tables.items():
            parts = ", ".join(self.constant(kind[1]) for _ in range(kind[2]))
            lines.append(f"const {name} = {self.spell(kind)}({parts});")
        for name, kind in self.atomics:
            lines.append(f"var<workgroup> {name}: atomic<{kind}>;")
        for body in self.bodies:
            lines += body
        return "\n".join(lines + self.body) + "\n"


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
