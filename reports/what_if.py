# SPDX-License-Identifier: Apache-2.0
"""What came of a scenario's other forms: the cause of what broke, and the switches of the page."""

import concurrent.futures
import itertools
import os

from page_data import PageRun
from variants import Variants, fault_words, least_causes

CAPTION = "What each choice comes to. Every one of them was run in the simulator, with the same seed."


class WhatIf:
    """Runs each set of a scenario's faults, with its own lease; with `leases`, with others, too."""

    def __init__(self, program, page_run, leases):
        self.variants = Variants(program, page_run.run)
        self.own = page_run
        self.all_faults = (1 << len(self.variants.faults)) - 1
        self.leases = [one for one in self.variants.leases() if one[1] is None or (leases and self._runs_with(one[1]))]
        self.base = next(i for i, (_, lease) in enumerate(self.leases) if lease is None)
        self.runs = {}  # (mask, number of the lease) -> PageRun, or None
        if self.variants.can_switch():
            wanted = list(itertools.product(range(self.all_faults + 1), range(len(self.leases))))
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
                self.runs = dict(zip(wanted, workers.map(lambda choice: self._run(*choice), wanted)))

    def _runs_with(self, lease):
        """Whether this lock can have that lease; some are of whole seconds."""
        return self.variants.can_switch() and self.variants.with_faults(self.all_faults, lease) is not None

    def _run(self, mask, lease):
        if (mask, lease) == (self.all_faults, self.base) and self.own.run.history.world == "simulated":
            return self.own
        found = self.variants.with_faults(mask, self.leases[lease][1])
        return found and PageRun(found, f"if-{mask}-{lease}", "what if", tab=False)

    def tell_cause(self):
        """Marks the faults that the first thing that broke needs."""
        names, faults = self.own.broken(), self.variants.faults
        if not names or not self.runs:
            return
        broken = {mask: run.broken() for (mask, lease), run in self.runs.items() if run and lease == self.base}
        causes = least_causes(broken, len(faults), names[0])
        if not causes:
            return
        if causes == [0]:
            self.own.cause_text = f"No fault is needed for {names[0]}: it happens without any of them, too."
            return
        least = [i for i in range(len(faults)) if causes[0] & 1 << i]
        words = "; and ".join(fault_words(faults[i]) for i in least)
        without = "without it" if len(least) == 1 else "without each of them"
        tried = f"The scenario was run {without}: then it does not happen."
        self.own.cause_text = f"The cause of {names[0]}: {words}. {tried}"
        strikes = self.own.strikes()
        self.own.cause_steps = sorted(step for i in least for step in strikes.get(i + 1, []))

    def data(self):
        """The switches, and what each choice comes to."""
        return {"faults": [fault_words(fault) for fault in self.variants.faults],
                "leases": [words for words, _ in self.leases], "caption": CAPTION,
                "runs": [{"mask": mask, "lease": lease, "key": run.key if run else "", "says": _says(run),
                          "broken": bool(run and run.broken())} for (mask, lease), run in sorted(self.runs.items())]}

    def others(self):
        return [run for run in self.runs.values() if run and run is not self.own]


def _says(run):
    if run is None:
        return "cannot be run"
    return "✗ " + ", ".join(run.broken()) if run.broken() else "○ nothing breaks"
