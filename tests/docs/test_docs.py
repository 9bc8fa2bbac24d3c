#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pages say is true: test_docs.py PROGRAM ROOT simulated|slow|real.

`simulated` runs each `$ lockproof …` of a console block and compares what it prints, and its exit code, with the page;
a line … stands for any lines, … at the end of a line for the rest of it, and runs of blanks count as one. `$ echo $?`
on a page tells the exit code; without it, it must be 0. `slow` does that for the blocks `console slow`. `simulated`
also checks that what pages mention exists (tests, files, verbs), that quoted files and histories are quoted word by
word, that the catalogue is what the program makes, and that the reference misses no key. `real` runs the commands that
need redis-server, and compares exit codes only, and what trace replays print. Where a page says 127.0.0.1:6379, which
may be somebody's, it is a server that is started here. UPDATE=1 writes anew what commands print, line by line: a line
of the page becomes the printed line that is most like it. Read the diff.
"""

import contextlib
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "real"))
from some_redis import Server  # noqa: E402

SOMEBODYS = "127.0.0.1:6379"
FOLDERS = "algorithms|cli|docs|harness|real|reports|scenarios|search|sim|tests|\\.ci"
ANY_LINES, REST = "…", " …"
SERVERS = ("real", "replay", "sweep", "soak")  # verbs that start servers


class Docs:
    """The pages, what they contain, and the findings so far."""

    def derives(self, path):
        """Whether this is a twin that its scenario derives, and no file."""
        written = self.root / path.replace("-twin.toml", ".toml")
        return path.endswith("-twin.toml") and written.exists() and "\n[twin]\n" in written.read_text(encoding="utf-8")

    def __init__(self, program, root):
        self.program, self.root = program, Path(root)
        paths = [self.root / "README.md", self.root / "CONTRIBUTING.md", *sorted((self.root / "docs").rglob("*.md"))]
        self.pages = {str(path.relative_to(self.root)): path.read_text(encoding="utf-8") for path in paths}
        self.findings = []
        self.scratch = tempfile.TemporaryDirectory()
        self.done = 0

    def find(self, page, what):
        self.findings.append(f"{page}: {what}")

    def source(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def blocks(self, kind):
        """(page, line, text) of each fenced block of a kind."""
        for page, text in list(self.pages.items()):
            for block in re.finditer(rf"^```{kind}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
                yield page, text.count("\n", 0, block.start()) + 1, block[1]

    def replace(self, page, command, shown, printed):
        old, new = f"$ {command}\n{shown}", f"$ {command}\n{as_printed(shown, printed)}"
        self.pages[page] = self.pages[page].replace(old, new, 1)
        (self.root / page).write_text(self.pages[page], encoding="utf-8")

    def run(self, line):
        """Standard output and exit code; the pages' folder out/ is a scratch folder here."""
        words = [re.sub(r"^out/", f"{self.scratch.name}/", word) for word in shlex.split(line)[1:]]
        env = {"PATH": os.environ.get("PATH", ""), "NO_COLOR": "1", "TMPDIR": os.environ.get("TMPDIR", "/tmp")}
        with contextlib.ExitStack() as stack:
            if SOMEBODYS in words:
                words[words.index(SOMEBODYS)] = stack.enter_context(Server()).address
            done = subprocess.run([self.program, *words], cwd=self.root, env=env, capture_output=True, text=True,
                                  timeout=900, check=False)
        self.done += 1
        return done.stdout.replace(self.scratch.name, "out"), done.returncode


def examples(block):
    """(command, shown output, expected exit code) of each command of a console block."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    pairs = list(zip(parts[1::2], parts[2::2]))
    for i, (command, shown) in enumerate(pairs):
        if command == "echo $?":
            continue
        asked = i + 1 < len(pairs) and pairs[i + 1][0] == "echo $?"
        yield command, shown, int(pairs[i + 1][1]) if asked else 0


def same(shown, printed):
    """Whether the page shows what was printed."""
    pattern = ""
    for line in shown.splitlines():
        if line.strip() == ANY_LINES:
            pattern += r"(?:.*\n)*?"
        else:
            words = [re.escape(word) for word in re.split(r" +", line.removesuffix(REST).rstrip())]
            pattern += r" +".join(words) + (r" .*\n" if line.endswith(REST) else r" *\n")
    return re.fullmatch(pattern, printed) is not None


def as_printed(shown, printed):
    """The page's lines as they are printed now; one that is like none is left, for somebody to look at."""
    lines, made, place = printed.splitlines(), [], 0
    for line in shown.splitlines():
        start = line.removesuffix(REST)
        likeness = [difflib.SequenceMatcher(None, start.split(), one.split()[:len(start.split())] if start != line
                                            else one.split()).ratio() for one in lines[place:]]
        best = max(likeness, default=0)
        if line.strip() in ("", ANY_LINES) or best < 0.5:
            made.append(line)
            continue
        place += likeness.index(best) + 1
        found = lines[place - 1].rstrip()
        made.append(" ".join(re.split(r"(?<=\S) ", found)[:len(re.split(r"(?<=\S) ", start))]) + REST
                    if start != line else found)
    return "".join(f"{line}\n" for line in made)


def replays_traces(command):
    return command.startswith("lockproof replay ")


def on_any_version(text):
    return re.sub(r"redis-server [\d.]+", "redis-server", text)


def needs_servers(command):
    return command.split()[1:2][0] in SERVERS or "--real" in command


def check_command(docs, page, line, command, shown, code, real):
    printed, returned = docs.run(command)
    if returned != code:
        docs.find(page, f"line {line}: '{command}' ends with {returned}, not {code}")
    if real and not replays_traces(command) or same(on_any_version(shown), on_any_version(printed)):
        return
    if os.environ.get("UPDATE"):
        docs.replace(page, command, shown, printed)
    else:
        docs.find(page, f"line {line}: '{command}' prints something else:\n{printed}")


def check_commands(docs, part):
    for page, line, block in docs.blocks("console slow" if part == "slow" else "console"):
        for command, shown, code in examples(block):
            if not command.startswith("lockproof "):
                docs.find(page, f"line {line}: do not know how to run '{command}'")
            elif needs_servers(command) == (part == "real"):
                check_command(docs, page, line, command, shown, code, part == "real")


def check_quotes(docs):
    for kind, comment in (("toml", "# "), ("lua", "-- ")):
        for page, line, block in docs.blocks(kind):
            head, _, rest = block.partition("\n")
            if head.startswith(comment) and rest not in docs.source(head.removeprefix(comment)):
                docs.find(page, f"line {line}: this is not in {head.removeprefix(comment)}")
    quoted = list(docs.blocks("jsonl"))
    if not quoted:
        return
    docs.run("lockproof run scenarios/documented/leases/lease-outlived.toml --out out/quoted")
    history = set((Path(docs.scratch.name) / "quoted/history.jsonl").read_text(encoding="utf-8").splitlines())
    for page, line, block in quoted:
        for event in block.splitlines():
            if event not in history:
                docs.find(page, f"line {line}: no such event in lease-outlived: {event}")


def check_catalogue(docs):
    printed, _ = docs.run("lockproof list --format markdown")
    if printed != docs.pages["docs/reference/catalogue.md"]:
        docs.find("docs/reference/catalogue.md", "is not what `lockproof list --format markdown` prints; make it anew")


def check_trace_replay(docs):
    """The stored page is what real servers say today, whichever version they are; the package has it, too."""
    stored = "tests/data/trace-replay.txt"
    printed, returned = docs.run("lockproof replay scenarios --format markdown")
    unknown = 2 if "| not reproducible here: " in printed else 0
    if returned == unknown and on_any_version(printed) == on_any_version(docs.source(stored)):
        return
    if os.environ.get("UPDATE"):
        (docs.root / stored).write_text(printed, encoding="utf-8")
    else:
        docs.find(stored, "is not what `lockproof replay scenarios --format markdown` prints; UPDATE=1 writes it anew")


def check_tests(docs):
    known = {}
    for path in (docs.root / "tests").rglob("*.cpp"):
        names = re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(encoding="utf-8"), re.M)
        known.setdefault(path.parent.name, set()).update(f"{suite}.{name}" for suite, name in names)
    for page, text in docs.pages.items():
        for folder, name in re.findall(r"`\[(\w+)\.(\w+\.\w+…?)\]`", text):
            pattern = re.escape(name.rstrip("…")) + (r"\w*" if name.endswith("…") else "")
            found = [one for one in known.get(folder, ()) if re.fullmatch(pattern, one)]
            if len(found) != 1:
                docs.find(page, f"[{folder}.{name}] names {len(found)} tests in the folder {folder}/ under tests/")


def check_mentions(docs):
    verbs = re.search(r"^Usage: .*?^HELP$", docs.source("dev"), re.DOTALL | re.MULTILINE)[0]
    for page, text in docs.pages.items():
        for path in re.findall(rf"(?<![\w./-])((?:{FOLDERS})/[\w./-]*)", text):
            path = path.rstrip(".")
            if not (docs.root / path).exists() and not docs.derives(path):
                docs.find(page, f"there is no {path}")
        for verb in re.findall(r"\./dev (\w+)", text):
            if not re.search(rf"^  {verb}\b", verbs, re.MULTILINE):
                docs.find(page, f"./dev has no verb {verb}")


def check_completeness(docs):
    """Every key, choice and event that the program knows stands in the reference."""
    scenario, history = docs.pages["docs/reference/scenario.md"], docs.pages["docs/reference/history.md"]
    parsers = sorted(docs.root.glob("harness/scenario/file/parse*.cpp"))
    assert parsers, "no parser was found: where do they stand?"
    keys = {key for path in parsers
            for key in re.findall(r"(?:\b(?:find|need|read|peer)\(|\{(?=\"\w+\", &s\.))\"([a-z_]+)\"",
                                  path.read_text(encoding="utf-8"))}
    choices = set(re.findall(r"\{\"([a-z-]+)\", [A-Z][A-Za-z:]*::\w+\}", docs.source("harness/scenario/names.cpp")))
    kinds = set(re.findall(r"\.name = \"([a-z-]+)\"", docs.source("harness/scenario/fault_table.cpp")))
    assert keys and choices and kinds, "nothing was found that the reference must have"
    for word in sorted(keys | choices | kinds):
        if not re.search(rf"[`\"\[]{re.escape(word)}[`\"\]]", scenario):
            docs.find("docs/reference/scenario.md", f"says nothing of '{word}', which scenarios may contain")
    for word in re.findall(r"\{What::\w+, \"([a-z-]+)\"\}", docs.source("harness/history/event.cpp")):
        if f"\n| `{word}` |" not in history:
            docs.find("docs/reference/history.md", f"says nothing of the event '{word}'")


def main():
    program, root, part = sys.argv[1:4]
    docs = Docs(str(Path(program).resolve()), Path(root).resolve())
    check_commands(docs, part)
    if part == "real":
        check_trace_replay(docs)
    if part == "simulated":
        for check in (check_quotes, check_catalogue, check_tests, check_mentions, check_completeness):
            check(docs)
    for finding in docs.findings:
        print(finding)
    print(f"{len(docs.pages)} pages, {docs.done} commands run, {len(docs.findings)} findings")
    return 1 if docs.findings or not docs.done else 0


if __name__ == "__main__":
    sys.exit(main())
