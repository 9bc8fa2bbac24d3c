#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The project's style as a test: check_style.py [ROOT] prints each finding as file:line: what; what to do instead.

Looks at all files that git knows or would add; where there is no git, at all files outside build/ and out/. The
tables are in rules.py, how long a function is in functions.py. Exit code 1 if there are findings.
"""

import fnmatch
import posixpath
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import rules
import words
from functions import cpp_functions, only_code, python_functions

SKIPPED_FOLDERS = {".git", "build", "out", "__pycache__"}


@dataclass(frozen=True, order=True)
class Finding:
    path: str
    line: int
    what: str
    instead: str

    def __str__(self):
        return f"{self.path}:{self.line}: {self.what}; instead: {self.instead}"


class Tree:
    """The files of the project and their texts."""

    def __init__(self, root):
        self.root = Path(root)
        self.paths = sorted(path for path in self._list() if (self.root / path).is_file())
        self._texts = {}

    def _list(self):
        try:
            listed = subprocess.run(
                ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                capture_output=True, check=True).stdout.decode()
            top = subprocess.run(["git", "-C", str(self.root), "rev-parse", "--show-toplevel"], capture_output=True,
                                 check=True).stdout.decode().strip()
            if Path(top).resolve() == self.root.resolve():
                return {path for path in listed.split("\0") if path}
        except (OSError, subprocess.CalledProcessError):
            pass
        found = (path.relative_to(self.root) for path in self.root.rglob("*"))
        return {path.as_posix() for path in found if not SKIPPED_FOLDERS & set(path.parts)}

    def text(self, path):
        if path not in self._texts:
            try:
                self._texts[path] = (self.root / path).read_text(encoding="utf-8")
            except UnicodeDecodeError:
                self._texts[path] = ""  # a picture, say
        return self._texts[path]

    def matching(self, *endings):
        return [path for path in self.paths if path.endswith(endings)]

    @property
    def sources(self):
        return [path for path in self.paths if path.endswith(rules.SOURCE_ENDINGS) or path in rules.SOURCE_FILES]

    @property
    def cpp(self):
        return [path for path in self.matching(*rules.CPP_ENDINGS) if path.split("/")[0] in rules.FOLDERS]


def fits(path, patterns):
    return any(fnmatch.fnmatch(path, pattern) for pattern in patterns)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_includes(tree):
    for path in tree.cpp:
        folder = path.split("/")[0]
        for number, line in enumerate(tree.text(path).splitlines(), start=1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not found:
                continue
            quoted, header = found[1] == '"', found[2]
            ours = quoted and (_ours(path, folder, header) or _one_service(path, header) or _rooms(path, header))
            problem = ours if quoted else _theirs(path, folder, header)
            if problem:
                yield Finding(path, number, *problem)


def _ours(path, folder, header):
    to = header.split("/")[0]
    if to not in rules.FOLDERS:
        if path.endswith(".c"):
            return None  # built by itself, without our include path
        return f'"{header}" is not written from the root of the tree', "for example \"harness/history/event.hpp\""
    door = rules.FRONT_DOORS.get((folder, to), header)
    if header != door:
        return f"{folder}/ includes {header}, a side door", f"{door}, or move what needs it below {folder}/"
    if to not in rules.MAY_INCLUDE[folder]:
        allowed = ", ".join(rules.MAY_INCLUDE[folder])
        return (f"{folder}/ includes {header}, but it may include only {allowed}",
                "own the interface here and let the other side implement it, or move the file")
    return None


def _rooms(path, header):
    top, room, to = path.split("/")[0], posixpath.dirname(path), posixpath.dirname(header)
    order = rules.ROOMS.get(top)
    if not order:
        return None
    if room not in order:
        return f"{room}/ has no place among the rooms", "put it into ROOMS of tests/style/rules.py, above what it needs"
    if to.split("/")[0] != top or room == to or any(
            room == exempt and fits(header, (headers,)) for headers, exempt, _ in rules.AGAINST_THE_ORDER):
        return None
    if to in order and order.index(to) < order.index(room):
        return None
    return (f"{room}/ includes {header}, which stands above it",
            "move what it needs into a room below, or the file up; the order is ROOMS in tests/style/rules.py")


def _one_service(path, header):
    if not re.match(rules.ONE_SERVICE, header) or not fits(path, rules.NAME_NO_SERVICE):
        return None
    if any(fits(path, (room,)) and header == allowed for room, allowed, _ in rules.READ_ONE_SERVICE):
        return None
    return (f"{posixpath.dirname(path)}/ includes {header}, which belongs to one service",
            "go through real/services/service_driver.hpp, which another service implements as well")


def check_rooms(tree):
    rooms = {}
    for path in tree.matching(".hpp"):
        rooms.setdefault(posixpath.dirname(path), []).append(path)
    for paths in rooms.values():
        if len(paths) > rules.HEADERS_MAX:
            yield Finding(paths[0], 1, f"one of {len(paths)} headers in its folder, at most {rules.HEADERS_MAX}",
                          "sort them into sub-folders, each named after what it is for")


def _theirs(path, folder, header):
    if folder == "tests":
        return None
    for beginning, allowed in rules.THIRD_PARTY.items():
        if header.startswith(beginning):
            if fits(path, allowed):
                return None
            return f"<{header}> belongs only into {', '.join(allowed)}", "go through what those files offer"
    if "/" not in header and not header.endswith((".h", ".hpp")):
        return None  # the standard library
    if header.endswith(".h") and (path.endswith(".c") or fits(path, rules.OPERATING_SYSTEM)):
        return None
    return (f"<{header}> is neither standard C++ nor in the table of third-party headers",
            "the standard library, or an entry in tests/style/rules.py with its few places")


def check_sizes(tree):
    for path in [*tree.sources, *tree.matching(".lua")]:
        text = tree.text(path)
        lines = text.splitlines()
        algorithm = re.fullmatch(r"algorithms/(?!catalogue|port/).+\.cpp", path)
        most = rules.ALGORITHM_LINES_MAX if algorithm else rules.FILE_LINES_MAX
        if len(lines) > most:
            yield Finding(path, most + 1, f"{len(lines)} lines, at most {most}", "split it by what the parts are for")
        for number, line in enumerate(lines, start=1):
            if len(line) > rules.COLUMNS_MAX:
                yield Finding(path, number, f"{len(line)} columns, at most {rules.COLUMNS_MAX}", "break the line")
        functions = cpp_functions(text) if path.endswith(rules.CPP_ENDINGS) else []
        functions = python_functions(text) if path.endswith(".py") else functions
        for name, start, length in functions:
            if length > rules.FUNCTION_LINES_MAX:
                yield Finding(path, start, f"{name} has {length} lines, at most {rules.FUNCTION_LINES_MAX}",
                              "keep the decisions here and move the leaves into functions")


def check_banned(tree):
    for path in tree.cpp:
        code = only_code(tree.text(path))
        for pattern, where, but_not, what, instead in rules.BANNED:
            if fits(path, where) and not fits(path, but_not):
                for found in re.finditer(pattern, code):
                    yield Finding(path, line_of(code, found.start()), f"{what} ({found[0].strip()})", instead)


def check_marks(tree):
    for path in tree.paths:
        text = tree.text(path)
        for pattern, what, instead in rules.MARKS:
            for found in re.finditer(pattern, text, re.MULTILINE):
                yield Finding(path, line_of(text, found.start()), f"{what} ({found[0].strip()})", instead)


def check_words(tree):
    """Words that are no longer used, as identifiers, strings, keys and options."""
    if words.TABLE not in tree.paths:
        return
    retired = words.retired(tree.text(words.TABLE))
    for path in (path for path in tree.paths if not fits(path, words.MAY_NAME_THEM)):
        text = tree.text(path)
        if path.endswith(".toml"):
            for line, table, key in words.keys_in(text):
                if key in dict(retired) and (key, table) not in words.STAYS:
                    yield Finding(path, line, f"the retired key {key}", dict(retired)[key])
        found = [(rf"(?<![\w-]){old}(?![\w-])", old, now) for old, now in retired if old.startswith("--")]
        if path.endswith((*rules.CPP_ENDINGS, ".toml")):
            found += [(rf'"{old}"', old, now) for old, now in retired if old not in words.PLAIN]
        if path in tree.cpp:
            code = only_code(text)
            for old, now in words.IDENTIFIERS:
                for place in re.finditer(rf"\b{old}\b", code):
                    yield Finding(path, line_of(code, place.start()), f"the retired name {old}", now)
        for pattern, old, now in found:
            for place in re.finditer(pattern, text):
                yield Finding(path, line_of(text, place.start()), f"the retired word {old}", now)


def check_stems(tree):
    """Names that only this project understands: fewer, and never more."""
    if words.TABLE not in tree.paths:
        return
    code = [only_code(tree.text(path)) for path in tree.cpp if not path.startswith("tests/")]
    counts = words.count_stems(code)
    for stem, most, instead in words.STEMS:
        if counts[stem] > most:
            what = f"'{stem}' is in {counts[stem]} names, and may be in {most}"
            yield Finding("tests/style/words.py", 1, what, instead)


def check_type_names(tree):
    """A type is a noun. The locks have the names that their papers or their failures have."""
    for path in tree.cpp:
        if path.startswith(("tests/", "algorithms/redis/", "algorithms/postgres/", "algorithms/zookeeper/")):
            continue
        code = only_code(tree.text(path))
        for place in re.finditer(r"\b(?:struct|class|enum class) (\w+)(?: final)?\s*(?::(?!:)|\{)", code):
            if words.names_no_noun(place[1]):
                yield Finding(path, line_of(code, place.start()), f"the type {place[1]} is named by no noun",
                              "a noun of the field, or a compound that ends in one")


def check_names(tree):
    for path in tree.paths:
        for part in path.split("/"):
            if re.search(rules.FORBIDDEN_NAME, part.split(".")[0]):
                yield Finding(path, 1, f"'{part}' does not say what is in it", "name it after the one thing it holds")


def check_heads(tree):
    for path in tree.sources:
        lines = tree.text(path).splitlines()
        first = lines[1:2] if lines[:1] and lines[0].startswith("#!") else lines[:1]
        if lines and not (first and "SPDX-License-Identifier: Apache-2.0" in first[0]):
            yield Finding(path, 1, "the file does not start with its licence",
                          "first line (after #!): SPDX-License-Identifier: Apache-2.0, as a comment")
        if path.endswith((".hpp", ".h")) and "#pragma once" not in lines:
            yield Finding(path, 1, "the header can be included twice", "#pragma once, after the comment at its head")


def needs_twin(scenario):
    """What breaks needs one without its cause, and so does what has a fault. What has none and breaks nothing, or is
    the fix of another scenario, which has one, is its own control."""
    quiet = re.search(r'^(run = "no-violation"|role = "fix")$', scenario, re.MULTILINE)
    return "[[fault]]" in scenario or not quiet


def check_scenarios(tree):
    scenarios = [path for path in tree.matching(".toml") if path.startswith("scenarios/")]
    tests = [tree.text(path) for path in tree.paths
             if path.startswith("tests/") and not path.startswith(("tests/style/", "tests/reports/"))]
    for path in scenarios:
        names = [path, *("/".join(path.split("/")[:depth]) for depth in range(1, path.count("/") + 1))]
        reached = "|".join(re.escape(name) for name in names)
        if not any(re.search(rf"(?<![\w/-])(?:[\w.${{}}]+/)*(?:{reached})/?(?![\w./-])", text) for text in tests):
            yield Finding(path, 1, "no test runs this scenario", "run it, or its folder, in a test under tests/")
        if path.endswith("-twin.toml"):
            if path.replace("-twin.toml", ".toml") not in tree.paths:
                yield Finding(path, 1, "a twin without the scenario that it belongs to", "add it, or rename the twin")
        elif not fits(path, rules.TWINLESS) and path.replace(".toml", "-twin.toml") not in tree.paths:
            if needs_twin(tree.text(path)) and not re.search(r"^\[twin\]$", tree.text(path), re.MULTILINE):
                yield Finding(path, 1, "the scenario has no twin",
                              '[twin] without = "faults"; or, where the cause is no fault, a file beside it: '
                              f"{path.replace('.toml', '-twin.toml')}")


def check_links(tree):
    for path in tree.matching(".md"):
        text = re.sub(r"```.*?```", lambda block: "\n" * block[0].count("\n"), tree.text(path), flags=re.DOTALL)
        for found in re.finditer(r"\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)", text):
            target = found[1].split("#")[0]
            if not target or re.match(r"[a-z]+:", target):
                continue
            if not (tree.root / Path(path).parent / target).exists():
                yield Finding(path, line_of(text, found.start()), f"the link to {target} leads nowhere",
                              "a path relative to this page")


CHECKS = (check_includes, check_rooms, check_sizes, check_banned, check_marks, check_names, check_heads,
          check_scenarios, check_links, check_words,
          check_stems, check_type_names)


def findings(root):
    tree = Tree(root)
    return sorted({finding for check in CHECKS for finding in check(tree)})


def main(arguments):
    root = arguments[0] if arguments else Path(__file__).resolve().parents[2]
    found = findings(root)
    for finding in found:
        print(finding)
    print(f"{len(found)} findings" if found else "the style holds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
