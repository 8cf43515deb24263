# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random WGSL: whole texts with functions, pointers, structures and every statement.

`Module(random.Random(seed)).text()` is valid, ends, has one invocation a workgroup, and hashes what
it computed into `out`.  Arithmetic is exact: integers, booleans, and floats that hold small ones.
"""

from random_expressions import WIDE, Expressions, Scope, scalar_of


BYTES = 4096  # of every storage variable


class Module(Expressions):
    """A text; `wide`: with integers of 64 bits."""

    grid = (1, 1, 1)

    def __init__(self, rng, wide=False, functions=4, statements=14):
        super().__init__(rng, wide)
        self.size = statements
        for _ in range(rng.randrange(1, 4)):
            self.add_struct()
        self.add_globals()
        bodies = [self.function() for _ in range(functions)]
        self.body = self.entry()
        self.bodies = bodies

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
                    "f32": f"bitcast<u32>({text} + 0.5)"}.get(kind, f"u32({text})")
            yield f"hash = (hash ^ {word}) * 16777619u;"
            if kind in WIDE:
                yield f"hash = (hash ^ u32({text} >> 32u)) * 16777619u;"
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

    def buffers(self, rng):
        """The bytes of each binding."""
        return [bytes(rng.randrange(256) for _ in range(16)), bytes(16)] + [bytes(BYTES) for _ in self.bindings]
