# SPDX-License-Identifier: Apache-2.0
"""The data of a page: the runs of one scenario, the smallest cause, and what if."""

import shlex

import comparison
from page_data import PageRun
from what_if import WhatIf


def page_of(runs, program=None, what_if=False, lesson=None):
    """The data of the page of some runs of one scenario; the first gives it its title. `lesson` is a title and what
    says which questions are asked of a run, or either as nothing; the page of a lesson asks from the start."""
    history = runs[0].history
    shown = [PageRun(run, key, key) for run, key in zip(runs, unique([run.history.world for run in runs]))]
    title, questions = lesson or ("", None)
    if questions:
        shown[0].own_questions = questions(shown[0])
    compared = [comparison.compare("compared", "side by side", shown[0], shown[1])] if len(shown) > 1 else []
    switches, others = None, []
    if program:
        tried = WhatIf(program, shown[0], what_if)
        tried.tell_cause()
        if what_if and tried.runs:
            switches, others = tried.data(), tried.others()
        shown += smallest(tried.variants, shown[0])
    return {"title": title or history.scenario.get("title") or history.header.get("scenario", "a run"),
            "asks_first": lesson is not None,
            "version": history.header.get("lockproof", "?"), "algorithm": history.algorithm(),
            "runs": [one.data() for one in (*shown, *others)],
            "comparisons": compared, "what_if": switches}


def smallest(variants, shown):
    """The smallest run that breaks what this one breaks, if there is a smaller one."""
    run = variants.smallest() if shown.broken() else None
    if run is None:
        return []
    said = shlex.split(shown.run.verdict.get("reproduce", ""))  # lockproof run WORD …
    file = said[2] if len(said) > 2 else shown.run.history.header.get("scenario_file", "FILE")
    run.verdict["reproduce"] = f"lockproof minimize {shlex.quote(file)}"
    return [PageRun(run, "smallest", "smallest cause")]


def unique(names):
    """The same names, numbered where one occurs again."""
    found = []
    for name in names:
        count = sum(one == name or one.startswith(name + "-") for one in found)
        found.append(f"{name}-{count + 1}" if count else name)
    return found
