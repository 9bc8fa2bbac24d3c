#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands and options are few, each is explained, and the man page and the completions have the same: options.py
LOCKPROOF SOURCE."""

import re
import subprocess
import sys

PROGRAM = sys.argv[1]
VERBS = ("demo run explore real replay sweep soak check minimize explain judge frontier review compare plan work join "
         "new list report help").split()
FOR_DEVELOPERS = ("bench", "manual")
OPTIONS_MOST, OF_A_VERB_MOST = 40, 12
SHORT = {"--out": "-o", "--workers": "-j", "--quiet": "-q", "--version": "-V", "--help": "-h"}


def lockproof(*words, code=0):
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, f"{words} ends with {done.returncode}: {done.stderr}"
    return done.stdout


def options_in(text):
    """{name: short name or ''} of a help."""
    return {name: short for short, name in re.findall(r"^  (?:(-\w), )?(--[\w-]+)", text, re.MULTILINE)}


def main():
    everything = lockproof("help")
    assert lockproof() == lockproof("--help") == everything, "no words at all list the commands"
    listed = re.findall(r"^  (\w+) {2,}\S", everything.split("Subcommands:")[1], re.MULTILINE)
    assert listed == VERBS, f"the help lists {listed}"
    names = options_in(everything)
    man, bash, zsh = (lockproof("manual", form) for form in ("man", "bash", "zsh"))
    for verb in VERBS:
        text = lockproof("help", verb)
        assert text == lockproof(verb, "--help"), f"help {verb}"
        found = options_in(text)
        for name, short in found.items():
            assert short == SHORT.get(name, ""), f"{verb} {name} has the short form '{short}'"
        names |= found
        own = set(found) - {"--help"}
        assert len(own) <= OF_A_VERB_MOST, f"{verb} has {len(own)} options: {sorted(own)}"
        page = man.split(f".SS lockproof {verb} ")[1].split(".SS ")[0].replace("\\", "")
        words = re.search(rf'^    {verb}\) options="([^"]*)"', bash, re.MULTILINE)[1].split()
        for name in found:
            assert name in words, f"bash does not complete {verb} {name}"
            assert name in page or name == "--help", f"the man page has no {verb} {name}"
        assert own <= set(words) and set(words) <= set(found) | set(SHORT.values()), f"bash completes {words} of {verb}"
        assert re.search(rf"^    {verb}\)$", zsh, re.MULTILINE), f"zsh does not complete {verb}"
    assert len(names) <= OPTIONS_MOST, f"{len(names)} options: {sorted(names)}"
    for verb in FOR_DEVELOPERS:
        assert lockproof("help", verb).count("Usage: lockproof"), verb
        assert f"lockproof {verb}" not in man and not re.search(rf"^    {verb}\)", bash, re.MULTILINE), verb
    assert lockproof("-V") == lockproof("--version"), "-V"
    print(f"{len(names)} options of {len(VERBS)} commands")


if __name__ == "__main__":
    main()
