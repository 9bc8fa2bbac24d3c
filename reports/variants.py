# SPDX-License-Identifier: Apache-2.0
"""The scenario of a run in other forms, each run by lockproof: without some of its faults, with other leases, and as
small as it can be. So what a page says of a cause was tried and is no guess.
"""

import itertools
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from durations import amount_text
from history import BadInput, load_run
from toml_text import toml_text

FAULTS_MAX = 4
LEASES = (("half of it", 1, 2), ("as it is", 1, 1), ("twice", 2, 1), ("four times", 4, 1))
UNITS = {"us": 1, "ms": 1000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
STATES = "20000"  # of each search of a smaller scenario: no limit in time, so that it ends alike everywhere
TIMEOUT_S = 120
AMOUNTS = {"peer": "from", "to": "to", "by": "by", "for": "for"}  # key of a fault -> the word before its value


class Variants:
    def __init__(self, program, run):
        self.program, self.history = Path(program).resolve(), run.history
        self.faults = run.history.listed("fault")
        self.lease = run.history.scenario.get("workload", {}).get("lease")

    def can_switch(self):
        return 0 < len(self.faults) <= FAULTS_MAX

    def with_faults(self, mask, lease=None):
        """A run with the faults whose bits are set, or None where lockproof refuses that."""
        scenario = dict(self.history.scenario)
        scenario["fault"] = [fault for i, fault in enumerate(self.faults) if mask & 1 << i]
        if lease:
            scenario["workload"] = {**scenario.get("workload", {}), "lease": lease}
        for key in ("expect", "twin", "case"):  # they are about the scenario as it was
            scenario.pop(key, None)
        return self._run(toml_text(scenario))

    def leases(self):
        """(what is said of it, the lease) of those to try, the scenario's own among them as None."""
        amount = microseconds(self.lease) if isinstance(self.lease, str) else None
        if amount is None:
            return [("as in the scenario", None)]
        found = []
        for words, times, parts in LEASES:
            other = amount * times // parts
            text = amount_text(other).replace(" ", "").replace("µs", "us")
            found.append((f"{amount_text(other)} ({words})", None if times == parts else text))
        return found

    def smallest(self):
        """The smallest cause as a run; None where nothing is violated or it takes too long."""
        with tempfile.TemporaryDirectory() as folder:
            file = self._file(Path(folder), self.history.header.get("scenario_text", ""))
            small = Path(folder) / "small.toml"
            command = ["minimize", file.name, "--quiet", "--states", STATES, "--out", small.name]
            if self._call(command, folder) is None or not small.exists():
                return None
            return self._run(small.read_text(encoding="utf-8"))

    def _run(self, text):
        with tempfile.TemporaryDirectory() as folder:
            file, out = self._file(Path(folder), text), Path(folder) / "run"
            seed = str(self.history.header.get("seed", 1))
            if self._call(["run", file.name, "--quiet", "--seed", seed, "--out", out.name], folder) is None:
                return None
            try:
                run = load_run(out)
            except BadInput:
                return None
        if run.verdict:  # its file is gone; its text is in the history
            run.verdict["reproduce"] = f"lockproof run {file.name} --seed {seed}, of the scenario above"
        return run

    def _file(self, folder, text):
        """The scenario in a file of its own, with the file of its lock beside it, if it has one."""
        file = folder / f"{re.sub(r'[^A-Za-z0-9_-]', '-', self.history.header.get('scenario') or 'scenario')}.toml"
        file.write_text(text, encoding="utf-8")
        algorithm = self.history.scenario.get("algorithm")
        lock = algorithm.get("file") if isinstance(algorithm, dict) else None
        beside = Path(self.history.header.get("scenario_file", "")).parent / str(lock)
        target = (folder / str(lock)).resolve()
        if lock and beside.is_file() and target.is_relative_to(folder.resolve()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(beside, target)
        return file

    def _call(self, words, folder):
        """Its exit code, or None where it made no run. It is told no path, so
        that what it writes is the same everywhere."""
        command = [self.program, *words]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT_S, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.returncode if done.returncode in (0, 1, 2) else None


def microseconds(text):
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(us|ms|s|min|h)", text)
    return round(float(found[1]) * UNITS[found[2]]) if found else None


def fault_words(fault):
    """A fault of a scenario as a switch names it."""
    amounts = "".join(f" {word} {fault[name]}" for name, word in AMOUNTS.items() if name in fault)
    when = fault.get("when") or f"at {fault.get('at')}"
    later = f"{fault['after']} after " if "after" in fault else ""
    known = {*AMOUNTS, "kind", "target", "when", "at", "after"}
    more = [f"{name} {value}" for name, value in fault.items() if name not in known]
    other = f" ({', '.join(more)})" if more else ""
    return f"{fault.get('kind')} of {fault.get('target')}{amounts}, {later}{when}{other}"


def least_causes(broken_by_mask, count, name):
    """The least sets of faults, as masks, with which a property was violated."""
    found = []
    for size in range(count + 1):
        for chosen in itertools.combinations(range(count), size):
            mask = sum(1 << i for i in chosen)
            if name in broken_by_mask.get(mask, ()) and not any(mask & one == one for one in found):
                found.append(mask)
    return found
