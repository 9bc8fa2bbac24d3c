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

# Stems of names that no reader of the field knows: (stem, uses in names of code that are left, what to write).
# A use is any identifier with that part, as in `shown_at` or `WayOn`. No count may rise; whoever lowers one lowers
# the number here.
STEMS = (
    ("way", 569, "violation, direction"),
    ("shown", 564, "observed, reported"),
    ("told", 282, "notified, reported"),
    ("see", 229, "on_event"),
    ("note", 428, "record"),
    ("letter", 155, "message"),
    ("tempt", 0, "offer"),
    ("provoke", 0, "trigger"),
    ("glance", 0, "summary"),
    ("quiet", 162, "no_op"),
    ("teacher", 0, "memo"),
    ("lesson", 0, "memo"),
    ("written", 228, "as_written, recorded"),
    ("tested", 71, "coverage"),
    ("broken", 489, "violation"),
    ("noted", 108, "recorded"),
    ("wide", 160, "expanded"),
    ("patience", 0, "acquire_timeout"),
    ("patient", 0, "acquire_timeout"),
)

# What a type is not called: words that are no nouns. Participles in -ed and -ing are found by their ending.
NO_NOUNS = set("""
Ahead Any Around Begun Broken Copyable Decisive Differs Done Drawn Elsewhere Endless Enough Follows Foreseen
Found Fresh Given Hear Heard Held Holds Is Kept Known Last Late Left Live Loses Lost Made Met Newest Open
Quiescent Quiet Ran Ready Said Seen Sent Shown Sought Struck Stuck Taken Todo Told Unknown Unreadable
Unrepresentable Unseen Until Waits When While Written
""".split())
NOUNS = {"Drawing", "Encoding", "Fencing", "Finding", "Framing", "Meaning", "Naming", "Packing", "Pending", "Renaming",
         "Setting", "Standing"}

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


def parts_of(identifier):
    """The parts of a name: "shown", "at" of `shown_at`; "way", "on" of `WayOn`."""
    return {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", identifier)}


def names_no_noun(name):
    """Whether a type's name is, or ends in, a participle, an adjective or a pronoun."""
    last = re.findall(r"[A-Z][a-z]*", name)[-1:]
    return name in NO_NOUNS or bool(last) and last[0].endswith(("ed", "ing")) and last[0] not in NOUNS


def count_stems(codes):
    """Uses of each stem in the names of some code, without comments and strings."""
    counts = {stem: 0 for stem, _, _ in STEMS}
    forms = {form: stem for stem in counts for form in (stem, stem + "s")}
    for code in codes:
        for identifier in re.findall(r"[A-Za-z_]\w*", code):
            for stem in {forms[part] for part in parts_of(identifier) if part in forms}:
                counts[stem] += 1
    return counts
