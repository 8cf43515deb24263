# SPDX-License-Identifier: MIT OR Apache-2.0
"""Random kernels: many invocations in workgroups of any size, which meet at barriers.

`Kernel(random.Random(seed)).text()` is valid, ends, and each invocation hashes what it computed
into a word of its own.  What it computes from is the same in all invocations, in those of a
workgroup, or in none: conditions, loops with known and unknown counts, private arrays, workgroup
memory, counters that go up, down and around.
"""

from random_expressions import Scope
from random_wgsl import Module

SIZES = [(1, 1, 1), (7, 1, 1), (33, 1, 1), (65, 1, 1), (255, 1, 1), (256, 1, 1), (64, 1, 1),
         (8, 8, 1), (5, 3, 2), (16, 2, 3), (1, 9, 1), (32, 1, 1), (4, 1, 5)]
GRIDS = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (2, 1, 3), (9, 1, 1), (1, 5, 1)]


class Kernel(Module):
    """A text; `outside`: indices of private arrays may lie out of bounds, where it gives zero."""

    def __init__(self, rng, wide=False, outside=False):
        self.workgroup, self.grid = rng.choice(SIZES), rng.choice(GRIDS)
        self.outside = outside
        self.shared = rng.random() < 0.5
        super().__init__(rng, wide, functions=2, statements=12)

    @property
    def invocations(self):
        x, y, z = (a * b for a, b in zip(self.workgroup, self.grid))
        return x * y * z

    def add_globals(self):
        for _ in range(self.rng.randrange(0, 3)):
            self.globals[self.name("private")] = ("private", self.type(2))
        for _ in range(self.rng.randrange(0, 2)):
            kind = ("array", self.rng.choice(("u32", "i32", "f32")), self.rng.choice((4, 9, 16, 70)))
            self.globals[self.name("private")] = ("private", kind)
        for _ in range(self.rng.randrange(0, 3)):
            self.tables[self.name("kTable")] = ("array", self.simple(), self.rng.randrange(1, 6))

    def index(self, count, scope):
        if self.outside and self.rng.random() < 0.3:
            return f"({self.value('u32', scope, 1)} % {count + 2}u)"
        return super().index(count, scope)

    # -------------------------------------------------------------------------------------- loops

    def loop(self, scope, budget):
        return self.counted(scope, budget) if self.rng.random() < 0.55 else super().loop(scope, budget)

    def counted(self, scope, budget):
        """A loop whose counter goes through known values, mostly: up, down or around."""
        rng = self.rng
        kind = rng.choice(("u32", "i32"))
        counter, step, turns = self.name("n"), rng.choice((1, 1, 2, 3, 5)), rng.randrange(0, 9)
        inner = scope.nested()
        inner.breaks, inner.depth = rng.random() < 0.3, scope.depth + 1
        inner.continues = rng.random() < 0.3
        inner.locals[counter] = (kind, False)
        first, more = rng.randrange(6), ""
        last, test = first + step * turns, "<"
        way = rng.randrange(4)
        if way == 1:
            first, last, test, step = last, first, ">", -step
            if kind == "u32":  # which would step over zero
                more = f" && {counter} >= {-step}u"
        elif way == 2 and kind == "u32":
            first, last, test = (1 << 32) - rng.randrange(1, 4) * step, rng.randrange(3) * step, "!="
        elif way == 3 and kind == "i32":
            first, last, test, step = rng.randrange(-5, 6), rng.randrange(-9, 0), ">=", -step
        last = f"{kind}({last})"
        if test in "<>" and rng.random() < 0.25:
            some = rng.choice([n for n, (k, _) in scope.locals.items() if k == "u32"] or ["1u"])
            last = f"{rng.choice(('min', 'max'))}({last}, {kind}({some} % 7u))"
        change = f"{counter} {'+' if step > 0 else '-'}= {abs(step)}"
        body = self.block(inner, budget)
        guard = f"{counter} {test} {last}{more}"
        if rng.random() < 0.5:
            return [f"for (var {counter} = {kind}({first}); {guard}; {change}) {{", *body, "}"]
        scope.own.add(counter)
        scope.locals[counter] = (kind, False)  # seen behind the loop
        return [f"var {counter} = {kind}({first});", f"for (; {guard}; {change}) {{", *body, "}"]

    # ---------------------------------------------------------------------------------- the entry

    def seeds(self):
        """Names of values that all invocations share, or a workgroup, or none."""
        forms = {"u32": ["group.x", "groups.x", "local.x", "local.y", "global.x", "index", "rank", "group.y + local.z",
                         "params.x", "params.y", "given[group.x % 4u]", "given[index % 4u]", "index * 3u + 1u",
                         "global.x - 40u", "index & 31u", "index / 7u", "index % 5u", "given[params.x & 3u] + index",
                         "(index << 4u) + group.x", "global.x * 65537u", "4294967290u + index", "100u - index",
                         "select(params.x, index, group.x == 0u)", "rank >> 2u", "index * 4294967295u"],
                 "i32": ["i32(index) - 9", "i32(params.z)", "i32(global.x) * 3", "bitcast<i32>(params.w)",
                         "2147483640 + i32(index)", "i32(index) * -2", "-i32(local.x)", "i32(group.x) - i32(local.x)"],
                 "bool": ["index == 0u", "params.x > 100u", "group.x == 1u", "(index & 1u) == 0u", "index < 20u",
                          "rank > 50u", "i32(index) - 5 < 3", "index + 4294967290u < 3u", "index != params.y % 50u"],
                 "f32": ["f32(index)", "f32(params.x & 255u)", "f32(group.x) + 1.0"]}
        for kind, texts in forms.items():
            for text in self.rng.sample(texts, min(len(texts), 5)):
                yield self.name("s"), kind, text

    def meeting(self, scope):
        """Invocations write a word each, meet, read others', and meet again."""
        rng = self.rng
        count = self.workgroup[0] * self.workgroup[1] * self.workgroup[2]
        name, plain = self.name("v"), scope.plainly()
        place = rng.choice(("index", f"({count - 1}u - index)", f"((index + {rng.randrange(count)}u) % {count}u)"))
        fixed = rng.choice((f"{rng.randrange(count)}u", f"params.y % {count}u"))
        other = rng.choice((f"{self.value('u32', plain, 2)} % {count}u", fixed,
                            f"(index + {rng.randrange(1, 9)}u) % {count}u", "(index | 0u)"))
        meet = "workgroupBarrier();"
        lines = [f"tile[{place}] = {self.value('u32', plain)};", meet]
        roll = rng.random()
        if roll < 0.3:
            lines += [f"var {name} = workgroupUniformLoad(&tile[{fixed}]);"]
        elif roll < 0.6:
            n, many = self.name("n"), rng.choice(("3u", "params.x % 4u", "group.x + 1u"))
            lines += [f"var {name} = 0u;", f"for (var {n} = 0u; {n} < {many}; {n}++) {{",
                      f"  {name} += tile[(({other}) + {n}) % {count}u];", f"  {meet}",
                      f"  tile[{place}] = {name} + {n};", f"  {meet}", "}"]
        else:
            lines += [f"var {name} = tile[{other}];", meet]
        if rng.random() < 0.3:
            added = rng.choice(("params.x", "3u", "index", "group.x", name))
            lines += [f"if {self.value('bool', plain, 2)} {{ atomicAdd(&sum, {added}); }}", meet,
                      f"{name} ^= atomicLoad(&sum);", meet]
        scope.own.add(name)
        scope.locals[name] = ("u32", True)
        return lines

    def entry(self):
        rng = self.rng
        scope = Scope()
        scope.calls = 12
        scope.globals = set(self.globals)
        lines = []
        for name, kind, text in self.seeds():
            lines.append(f"let {name} = {text};")
            scope.locals[name] = (kind, False)
        inner = scope.nested()
        inner.locals, inner.own = scope.locals, set(scope.locals)
        for _ in range(3):
            lines += self.block_in(inner, self.size)
            if self.shared:
                lines += self.meeting(inner)
        if rng.random() < 0.25:
            lines += [f"if {self.value('bool', scope.plainly())} {{ out[rank] = index; return; }}"]
            lines += self.block_in(inner, self.size)
        lines += ["var hash = 2166136261u;"]
        for name, (kind, _) in inner.locals.items():
            lines += self.hashes(name, kind)
        for name, (_, kind) in self.globals.items():
            if kind[0] == "array" and kind[2] > 20:
                n = self.name("n")
                lines += [f"for (var {n} = 0; {n} < {kind[2]}; {n}++) {{",
                          *self.hashes(f"{name}[{n}]", kind[1]), "}"]
            else:
                lines += self.hashes(name, kind)
        lines.append("out[rank] = hash;")
        x, y, z = self.workgroup
        return [f"@compute @workgroup_size({x}, {y}, {z})",
                "fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) index: u32,",
                "        @builtin(local_invocation_id) local: vec3u, @builtin(num_workgroups) groups: vec3u,",
                "        @builtin(global_invocation_id) global: vec3u) {",
                f"  let rank = ((group.z * groups.y + group.y) * groups.x + group.x) * {x * y * z}u + index;",
                *("  " + line for line in lines), "}"]

    def text(self):
        x, y, z = self.workgroup
        lines = ["@group(0) @binding(0) var<storage> given: array<u32, 4>;",
                 "@group(0) @binding(1) var<storage, read_write> out: array<u32>;",
                 "@group(0) @binding(2) var<uniform> params: vec4<u32>;"]
        if self.shared:
            lines += [f"var<workgroup> tile: array<u32, {x * y * z}>;", "var<workgroup> sum: atomic<u32>;"]
        return "\n".join(lines + [line for line in super().text().split("\n") if "@group" not in line])

    def buffers(self, rng):
        def words():
            return b"".join(rng.choice((rng.randrange(9), rng.randrange(200), rng.randrange(1 << 32))).to_bytes(4, "little")
                            for _ in range(4))
        return [words(), bytes(4 * self.invocations), words()]
