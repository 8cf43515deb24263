#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Checks that every error code of the sources is a row of a table, and that every row is used.

A code is what stands where an `Error` takes its own: the argument after an `ErrorKind`, or the one
that a function of ours calls `code`.  It is a literal there, or handed on.  A function whose
name ends in `_code` returns codes.  Their rows are in src/base/errors.def, with the kinds they come
in, or in include/vyre/diagnostics.def.

Messages of the library speak of its calls and options: those of the command line are words of src/cli.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
ERRORS = ROOT / "src" / "base" / "errors.def"
FAULTS = ROOT / "include" / "vyre" / "diagnostics.def"
TAKES_CODE = re.compile(r"(\w+)\(((?:[^()]|\([^()]*\))*?)std::string_view code\b")
HANDED_ON = re.compile(r"code|\w+_code\(.*\)|[\w.()>-]+code\(\)")
DECLARED = re.compile(r"string_view|ErrorKind \w+$")
NO_TAKERS = ("Error", "explained", "find_dtype")
QUOTED = r'(?:\\.|[^"\\\n])*'
OPTION = re.compile(rf'"{QUOTED}(?<![\w-])--?[a-zA-Z][\w-]*(?=[ =,.);"]){QUOTED}"')
LITERAL = re.compile(r'"([a-z0-9-]+)"')


def without_comments(text):
    """The text with its comments blanked, so that lines keep their numbers."""
    return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*', lambda m: m.group(1) or "", text)


def arguments(text, at):
    """The arguments from `at`, which is behind the opening bracket, to the closing one."""
    found, depth, start, quoted = [], 0, at, False
    while at < len(text):
        letter = text[at]
        if quoted:
            at += letter == "\\"
            quoted = letter != '"'
        elif letter == '"':
            quoted = True
        elif letter in "([{":
            depth += 1
        elif letter in ")]}" and depth > 0:
            depth -= 1
        elif letter in ")]},;" and depth == 0:
            found.append(text[start:at].strip())
            if letter != ",":
                return found
            start = at + 1
        at += 1
    return found


def takers(sources):
    """Functions that take a code: name, the file that alone sees it or None, where among the
    arguments the code stands, and the kind that the function gives it."""
    found = []
    for path, text in sources.items():
        for match in TAKES_CODE.finditer(text):
            name, before = match.group(1), match.group(2)
            if name not in NO_TAKERS:
                kind = re.search(r"^[^}]*?ErrorKind::(\w+), code", text[match.end():])
                found.append((name, None if path.suffix == ".h" else path,
                              len(arguments(before + ")", 0)) - 1, kind and kind.group(1)))
    kinds = {name: kind for name, _, _, kind in found if kind}
    return [(name, where, place, kind or kinds.get(name)) for name, where, place, kind in found]


def returned(text):
    """Where functions whose names end in `_code` return something."""
    for body in re.finditer(r"^[\w:]+ \w+_code\([^)]*\) \{(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        for match in re.finditer(r"\breturn (?=\")", body.group(1)):
            yield body.start(1) + match.end()


def uses(sources):
    """Every argument that is a code: file, line, the argument, and its kind where it is known."""
    functions = takers(sources)
    for path, text in sources.items():
        spots = [(at, 0, None) for at in returned(text)]
        for match in re.finditer(r"ErrorKind::(\w+),", text):
            spots.append((match.end(), 0, match.group(1)))
        for name, where, place, kind in functions:
            if where in (None, path):
                for match in re.finditer(rf"(?<![\w>]){name}\(", text):
                    spots.append((match.end(), place, kind))
        for at, place, kind in spots:
            given = arguments(text, at)
            if len(given) <= place or DECLARED.search(given[place]):
                continue
            if not any(word.startswith("ErrorKind::") for word in given[:place]):
                yield path, text.count("\n", 0, at) + 1, given[place], kind


def options(sources):
    """Literals outside of src/cli that name an option of the command line, by place."""
    for path, text in sources.items():
        if "cli" in path.relative_to(ROOT).parts:
            continue
        for match in OPTION.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path.relative_to(ROOT)}:{line}: {match.group()} names an option of the command line"


def rows():
    """The rows: code to the kinds that it comes in; none for a diagnostic."""
    found = {}
    for match in re.finditer(r"^ERROR\((\w+),\s*\.kinds = \{([\w, ]+)\}", ERRORS.read_text(),
                             flags=re.MULTILINE):
        found[match.group(1).replace("_", "-")] = set(match.group(2).split(", "))
    faults = re.findall(r"^DIAGNOSTIC\((\w+),", FAULTS.read_text(), flags=re.MULTILINE)
    return found, {name.replace("_", "-") for name in faults}


def faults_of(sources, errors, faults):
    """What is wrong, a line each."""
    kinds = collections.defaultdict(set)
    for path, line, given, kind in uses(sources):
        place = f"{path.relative_to(ROOT)}:{line}"
        codes = LITERAL.findall(given)
        if not codes and not HANDED_ON.fullmatch(given):
            yield f"{place}: {given} is no literal code"
        for code in codes:
            kinds[code].add(kind)
            if code not in errors and code not in faults:
                yield f"{place}: {code} is in no table"
            elif kind and code in errors and kind not in errors[code]:
                yield f"{place}: {code} is not said to be {kind}"
    for code, said in errors.items():
        if code not in kinds:
            yield f"src/base/errors.def: {code} is used nowhere"
        elif None not in kinds[code] and said != kinds[code]:
            yield f"src/base/errors.def: {code} comes as {', '.join(sorted(kinds[code]))}"


def self_test():
    """Each kind of fault is found in a text that has it."""
    table = {"good": {"io"}, "other": {"timeout"}}
    texts = {'Error(ErrorKind::io, "good", f(1, "x"));': ["other is used nowhere"],
             'Error(ErrorKind::timeout, "bad", "");': ["bad is in no table"],
             'Error(ErrorKind::timeout, "good", "");': ["good is not said to be timeout"],
             'Error(ErrorKind::io, kName, "");': ["kName is no literal code"],
             '// Error(ErrorKind::io, "bad", "");': [],
             'Error no(int a, std::string_view code) { return Error(ErrorKind::io, code, ""); }\n'
             'return no(f(1, 2), ok ? "good" : "bad");': ["bad is in no table"],
             'std::string first_code() {\n  return "bad";\n}': ["bad is in no table"],
             'Error(ErrorKind::io, error.code(), "");': [],
             'f("give the grid (-g X,Y,Z)");': ["names an option"],
             'f("add --threads X");': ["names an option"],
             'f("--pad adds zeros");': ["names an option"],
             'f("a - b, x-y, non-uniform, 1e-5, --, a->b", "-");': []}
    status = 0
    for text, expected in texts.items():
        sources = {ROOT / "src" / "a.cpp": without_comments(text)}
        found = "\n".join([*faults_of(sources, table, set()), *options(sources)])
        if any(one not in found for one in expected) or (not expected and "a.cpp" in found):
            print(f"{text}\n  should give {expected}, and gives {found}", file=sys.stderr)
            status = 1
    return status


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    files = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".h", ".cpp")]
    sources = {path: without_comments(path.read_text()) for path in sorted(files)}
    wrong = [*faults_of(sources, *rows()), *options(sources)]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
