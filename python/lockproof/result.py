# SPDX-License-Identifier: Apache-2.0
"""What a search or a run showed, and what a test expects of it."""
from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Dict, List, Optional

from lockproof.program import Answer, ProgramError, ask, execute


class Missed(AssertionError):
    """An expectation that the answer does not meet."""


Missed.__module__ = "lockproof"  # as failures show it


@dataclass(frozen=True)
class Verdict:
    """Of one property, in the program's words."""

    property: str
    verdict: str
    kind: str = ""
    what: str = ""
    judged: bool = True

    def __str__(self) -> str:
        if not self.judged:
            return "not judged"
        return f"{self.verdict} ({self.kind})" if self.kind else self.verdict


class Result:
    """The answer of `explore` or `run`. `holds` and its like return it again, so that they can be chained."""

    def __init__(self, answer: Answer, scenario: Path, out: Path) -> None:
        self.answer = answer
        self.scenario = scenario
        self.out = out
        self.verdicts: Dict[str, Verdict] = {}
        self._counterexamples: Dict[str, Path] = {}
        for row in answer["properties"]:
            name = row["property"]
            self.verdicts[name] = Verdict(
                name, row["verdict"], row.get("kind", ""), row.get("what", ""), row.get("judged", True)
            )
            if "counterexample" in row:
                self._counterexamples[name] = out / row["counterexample"]

    def holds(self, property: str) -> Result:
        """Every schedule was searched, and keeps the property. What is unknown or not judged does not hold."""
        __tracebackhide__ = True
        found = self._verdict(property)
        if found.verdict != "holds":
            raise Missed(self._failure(found, "expected to hold"))
        return self

    def shows_no_violation(self, property: str) -> Result:
        """It was judged, and no violation was found: all that a single run can say."""
        __tracebackhide__ = True
        found = self._verdict(property)
        if found.verdict not in ("holds", "no-violation") or not found.judged:
            raise Missed(self._failure(found, "expected to show no violation"))
        return self

    def violates(self, property: str, kind: Optional[str] = None) -> Result:
        """The property is violated, in this way if a kind is given."""
        __tracebackhide__ = True
        found = self._verdict(property)
        kinds = self._kinds(found)
        if found.verdict != "violated" or (kind is not None and kind not in kinds):
            expected = f"violated ({kind})" if kind else "violated"
            raise Missed(self._failure(found, f"expected to be {expected}"))
        return self

    @property
    def explanation(self) -> str:
        """What happened in the violation to begin with, in sentences; empty where there is none."""
        return self._explanation_of(next(iter(self._counterexamples), ""))

    @cached_property
    def page(self) -> Optional[Path]:
        """The page of that violation, else of the run, to step through in a browser."""
        return self._page_of(next(iter(self._counterexamples), ""))

    def counterexample(self, property: str) -> Optional[Path]:
        """A scenario, which `lockproof run` takes."""
        return self._counterexamples.get(property)

    def _verdict(self, property: str) -> Verdict:
        __tracebackhide__ = True
        if property not in self.verdicts:
            near = difflib.get_close_matches(property, self.verdicts, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise Missed(f"the answer has no property '{property}'{hint} It has: {', '.join(self.verdicts)}")
        return self.verdicts[property]

    def _kinds(self, found: Verdict) -> List[str]:
        ways = self.answer.get("violations", [])
        return [found.kind] + [way["kind"] for way in ways if way["property"] == found.property and "kind" in way]

    def _explanation_of(self, property: str) -> str:
        file = self._counterexamples.get(property)
        if file is None:
            return str(self.answer.get("happened", ""))
        try:
            sentences = ask(["explain", str(file), "--property", property], self.out)["sentences"]
        except ProgramError:
            return str(self.answer["happened"])
        return "\n".join(f"{sentence}." for sentence in sentences)

    def _page_of(self, property: str) -> Optional[Path]:
        file = self._counterexamples.get(property)
        folder = self.out
        if file is not None:
            folder = self.out / file.stem
            execute(["run", str(file), "--quiet", "--out", str(folder)], self.out)
        if not (folder / "history.jsonl").exists():
            return None
        execute(["report", "--html", str(folder), "--out", str(folder)], self.out)
        return next(folder.glob("*.html"), None)

    def _failure(self, found: Verdict, expected: str) -> str:
        lines = [f"{found.property} is {found}, {expected}"]
        if found.what:
            lines.append(f"  {found.what}")
        if found.verdict == "no-violation" and found.judged:
            lines.append("  a run is one schedule; lockproof.explore searches every one")
        explained = self._explanation_of(found.property) if found.verdict == "violated" else ""
        lines += [f"  {sentence}" for sentence in explained.splitlines()]
        file = self._counterexamples.get(found.property)
        if file is not None:
            lines.append(f"again: lockproof run {file}")
        page = self._page_of(found.property) if found.verdict == "violated" else None
        if page is not None:
            lines.append(f"page: {page}")
        lines.append(f"scenario: {self.scenario}")
        return "\n".join(lines)
