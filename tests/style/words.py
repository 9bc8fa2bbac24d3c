# SPDX-License-Identifier: Apache-2.0
"""Words that are no longer used, and what is used instead. check_style.py refuses them.

Keys, kinds of faults, properties, engines, options and commands stand in harness/scenario/retired.cpp, which the
program itself uses; identifiers stand here. A word that is also plain English is refused only where it is one of these.
"""

import re

TABLE = "harness/scenario/retired.cpp"

# These name old words on purpose.
MAY_NAME_THEM = ("harness/scenario/retired.*", "tests/harness/retired_test.cpp", "tests/cli/retired.py",
                 "tests/cli/old_forms.py", "tests/style/*", "docs/glossary.md", "CHANGELOG.md")

# Identifiers of code, whole: (old, now).
IDENTIFIERS = (
    ("patience", "acquire_timeout"), ("Patience", "CallTimeouts"), ("obeys", "stop_on"), ("Obeys", "StopOn"),
    ("told_lost", "notified_of_loss"), ("not_vacuous", "exercised"), ("NotVacuous", "Exercised"),
    ("interned", "stateful"), ("explore_interned", "explore_stateful"), ("explore_by_replay", "explore_by_reexecution"),
    ("reenact", "replay_trace"), ("Reenactment", "TraceReplay"), ("reenacted", "trace_replay"),
    ("hunt", "fuzz"), ("hunted", "fuzzed"), ("Hunted", "Fuzzed"), ("Hunter", "Fuzzer"),
    ("certify", "conformance"), ("Plant", "Mutant"), ("plants", "mutants"), ("Way", "ViolationKind, Direction"),
    ("Cell", "IsolatedHost"), ("Letter", "CanonicalMessage"), ("Watchers", "MonitorStates"),
    ("Images", "SymmetricStates"), ("Crew", "ThreadTeam"), ("Pile", "WorkerBuffer"), ("Newcomer", "ProbeClient"),
    ("newcomer", "probe_client"), ("Guide", "PathRecorder"), ("ForeignServers", "ExternalServers"),
    ("foreign", "external"),
)

# A key that keeps its name in one table of a scenario.
STAYS = {("progress", "judge")}


def retired(source):
    """(old, now) of each row of the program's own table; of a form of the command line, each option that is gone."""
    rows = []
    for old, now, read in re.findall(r'RetiredWord\{"([^"]+)", "([^"]+)"(?:, StillRead::(\w+))?\}', source):
        gone = [word for word in old.split() if word.startswith("--") and word not in now.split()]
        rows += [(word, now) for word in gone] if read == "as_command" else [(old, now)]
    return rows


def keys_in(toml):
    """(line, table, key) of each key of a scenario."""
    table = ""
    for number, line in enumerate(toml.split("\n"), 1):
        if head := re.match(r"\s*\[+([\w.-]+)\]+", line):
            table = head[1]
        elif key := re.match(r"\s*([\w-]+)\s*=", line):
            yield number, table, key[1]

# Plain English words: refused as keys and options only, not as strings of the code.
PLAIN = {"rest", "told", "scale", "way", "progress", "drop", "replay"}
