#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each old form of the command line does what the new one does, and says it in one sentence: old_forms.py LOCKPROOF
SOURCE. The table is the program's own; a row without an example here fails."""

import difflib
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
TABLE = (SOURCE / "harness/scenario/retired.cpp").read_text(encoding="utf-8")
FILE = str(SOURCE / "scenarios/documented/leases/lease-outlived.toml")
SMALL = str(SOURCE / "docs/guide/examples/one-attempt.toml")
UNBOUNDED = str(SOURCE / "scenarios/documented/clocks/getset-skew.toml")  # no faults to draw from
FUZZED = ["run", str(SOURCE / "docs/guide/examples/at-one-instant.toml"), "--runs", "50"]

# Of each row: the command in its old form, and in the new one. Both must end alike, refusals too: what needs servers or
# minutes is compared by how it is refused, and run by the other tests in its new form.
EXAMPLES = {
    "real FILE --trace": [(["real", FILE, "--trace", "--no-trace"], ["replay", FILE, "--quiet"]),
                          (["real", "--trace", FILE, "--repeat=2", "--out", "made"],
                           ["replay", FILE, "--repeat=2", "--out", "made"])],
    "check PATH --trace": [(["check", FILE, "--trace", "--format", "json"], ["replay", FILE, "--format", "json"]),
                           (["check", FILE, SMALL, "--trace", "--jobs", "2"],
                            ["replay", FILE, SMALL, "--workers", "2"])],
    "real FILE --sweep": [(["real", FILE, "--sweep", "--jobs", "2"], ["sweep", FILE, "--workers", "2"])],
    "real FILE --sweep --pairs": [(["real", FILE, "--pairs", "--sweep", "--faults", "pause"],
                                   ["sweep", FILE, "--max-faults", "2", "--faults", "pause"])],
    "sweep FILE --faults break": [(["sweep", FILE, "--faults", "break"],
                                   ["sweep", FILE, "--faults", "break-connection"]),
                                  (["sweep", FILE, "--faults=pause,break,crash"],
                                   ["sweep", FILE, "--faults=pause,break-connection,crash"])],
    "sweep FILE --faults expire": [(["sweep", FILE, "--faults", "expire,flush"],
                                    ["sweep", FILE, "--faults", "clock-jump,flush"])],
    "real FILE --soak TIME": [(["real", UNBOUNDED, "--soak", "1s", "--first"],
                               ["soak", UNBOUNDED, "--time", "1s", "--find", "first"]),
                              (["real", SMALL, "--soak=soon"], ["soak", SMALL, "--time=soon"])],
    "--jobs N": [(["check", FILE, "--jobs", "1"], ["check", FILE, "-j", "1"]),
                 (["check", FILE, "--jobs=2"], ["check", FILE, "--workers=2"])],
    "--no-trace": [(["run", FILE, "--no-trace"], ["run", FILE, "-q"]),
                   (["explore", SMALL, "--no-trace"], ["explore", SMALL, "-q"]),
                   (["minimize", FILE, "--no-trace", "--states", "500"], ["minimize", FILE, "-q", "--states", "500"])],
    "--first": [(["explore", FILE, "--first", "-q", "--out", "made"],
                 ["explore", FILE, "--find", "first", "-q", "-o", "made"]),
                ([*FUZZED, "--first"], [*FUZZED, "--find", "first"])],
    "--all-causes": [(["explore", SMALL, "-q", "--all-causes"], ["explore", SMALL, "-q", "--find", "causes"])],
    "--strategy pct --depth N": [([*FUZZED, "--depth", "2", "--strategy", "pct"], [*FUZZED, "--strategy", "pct:2"]),
                                 ([*FUZZED, "--strategy=pct", "--depth=4"], [*FUZZED, "--strategy=pct:4"])],
    "explore FILE --dot GRAPH": [(["explore", SMALL, "--dot", "graph.dot"],
                                  ["explore", SMALL, "--format", "dot"])],
    **{f"--{kind}-server PATH": [(["real", FILE, f"--{kind}-server", "nowhere"],
                                  ["real", FILE, "--server", f"{kind}=nowhere"]),
                                 (["check", FILE, "--real", f"--{kind}-server=nowhere"],
                                  ["check", FILE, "--real", "--server", f"{kind}=nowhere"])]
       for kind in ("redis", "memcached", "postgres", "zookeeper", "etcd")},
}
SENTENCE = re.compile(r"lockproof: this is now written: (lockproof .*); this version still takes the old form, "
                      r"the next one will not\n")


def told(text):
    """Without what is measured."""
    return re.sub(r"\d+(\.\d+)? (s|ms|a second|bytes a state)\b|\"(seconds|memory_bytes)\": [\d.]+", "#", text)


def call(words):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        made = {str(path.relative_to(folder)): told(path.read_text(encoding="utf-8"))
                for path in sorted(Path(folder).rglob("*")) if path.is_file() and path.name != ".lockproof-lock"}
    return done, made


def compare(old, new):
    """What is wrong; nothing: they do the same."""
    before, files_before = call(old)
    after, files_after = call(new)
    said = SENTENCE.findall(before.stderr)
    if len(said) != 1 or SENTENCE.search(after.stderr):
        return f"{old} says {before.stderr}, and {new} says {after.stderr}"
    if (before.returncode, told(SENTENCE.sub("", before.stderr))) != (after.returncode, told(after.stderr)):
        return f"{old} ends with {before.returncode}: {before.stderr}{new} with {after.returncode}: {after.stderr}"
    if "--dot" in old:  # a shell would redirect it
        files_after = {"graph.dot": after.stdout}
        after.stdout = ""
    files_before["stdout"], files_after["stdout"] = told(before.stdout), told(after.stdout)
    for name in files_before | files_after:
        both = [files.get(name, "").splitlines() for files in (files_before, files_after)]
        if differs := list(difflib.unified_diff(*both, lineterm="", n=0)):
            return "\n".join([f"{old} and {new} write different {name}:", *differs[2:]])
    # The sentence is a command that does the same again, and is no old form.
    with tempfile.TemporaryDirectory() as folder:
        again = subprocess.run(["bash", "-c", said[0].replace("lockproof", PROGRAM, 1)], cwd=folder,
                               capture_output=True, text=True, timeout=120, check=False)
    if again.returncode != before.returncode or SENTENCE.search(again.stderr):
        return f"{said[0]} ends with {again.returncode}: {again.stderr}"
    return ""


def main():
    rows = re.findall(r'RetiredWord\{"([^"]+)", "[^"]+", StillRead::as_command\}', TABLE)
    problems = [f"the table has {set(rows) ^ set(EXAMPLES)}, which is without a row or an example"] if set(
        rows) != set(EXAMPLES) else []
    pairs = [pair for row in rows for pair in EXAMPLES.get(row, [])]
    problems += [wrong for old, new in pairs if (wrong := compare(old, new))]
    unknown, _ = call(["frontier", "setnx-del", "--first"])  # which that command never had
    if unknown.returncode != 64 or SENTENCE.search(unknown.stderr):
        problems.append(f"frontier --first: {unknown.stderr}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(rows)} old forms in {len(pairs)} commands do what the new ones do")


if __name__ == "__main__":
    main()
