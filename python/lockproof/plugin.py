# SPDX-License-Identifier: Apache-2.0
"""The pytest plug-in: the fixture `lockproof` and the option --lockproof-out."""
from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import List, Optional, Sequence

import pytest

from lockproof.program import ProgramError, Refusal, ask
from lockproof.result import Result
from lockproof.scenario import Client, Fault, faults_text, scenario_text


class Lockproof:
    """Judges locks in virtual time, for one test."""

    def __init__(self, folder: Path, out: Path, name: str) -> None:
        """`folder`: what paths are relative to. `out`: where everything is written."""
        self._folder = folder
        self._out = out
        self._name = name
        self._answers = 0

    def explore(
        self,
        *,
        client: Optional[Client] = None,
        scenario: Optional[str] = None,
        faults: Sequence[Fault] = (),
        lease: Optional[str] = None,
        hold: Optional[str] = None,
        clients: Optional[int] = None,
        max_faults: Optional[int] = None,
        time: Optional[str] = None,
        tables: str = "",
    ) -> Result:
        """Searches every schedule, with each of the faults at each event."""
        __tracebackhide__ = True
        options = _options({"--max-faults": max_faults, "--time": time})
        out = self._next_out("explore")
        if scenario is not None:
            _refuse_beside_scenario(client=client, lease=lease, hold=hold, clients=clients, tables=tables or None)
            file = self._folder / scenario
            if faults:
                budget = out / "faults.toml"
                budget.write_text("[explore]\n" + faults_text(faults, "explore.fault"), encoding="utf-8")
                options += ["--budget", str(budget)]
        else:
            text = self._text(client, lease, hold, clients, tables)
            file = self._write(out, text + "\n[explore]\n" + faults_text(faults, "explore.fault"))
        return self._answer("explore", file, out, options)

    def run(
        self,
        *,
        client: Optional[Client] = None,
        scenario: Optional[str] = None,
        faults: Sequence[Fault] = (),
        lease: Optional[str] = None,
        hold: Optional[str] = None,
        clients: Optional[int] = None,
        seed: Optional[int] = None,
        tables: str = "",
    ) -> Result:
        """Makes one run; each fault says when it strikes."""
        __tracebackhide__ = True
        out = self._next_out("run")
        if scenario is not None:
            _refuse_beside_scenario(
                client=client, faults=faults or None, lease=lease, hold=hold, clients=clients, tables=tables or None
            )
            file = self._folder / scenario
        else:
            text = self._text(client, lease, hold, clients, tables)
            file = self._write(out, text + faults_text(faults, "fault"))
        return self._answer("run", file, out, _options({"--seed": seed}))

    def _text(
        self, client: Optional[Client], lease: Optional[str], hold: Optional[str], clients: Optional[int], tables: str
    ) -> str:
        if client is None:
            raise TypeError("which lock? Give client=, a program or a lock in Lua, or scenario=, a file")
        return scenario_text(
            self._name, client, self._folder, lease=lease, hold=hold, clients=clients, tables=tables
        )

    def _write(self, out: Path, text: str) -> Path:
        file = out / f"{self._name}.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def _next_out(self, verb: str) -> Path:
        self._answers += 1
        out = self._out / f"{verb}-{self._answers}"
        out.mkdir(parents=True)
        return out

    def _answer(self, verb: str, file: Path, out: Path, options: Sequence[str]) -> Result:
        __tracebackhide__ = True
        try:
            return Result(ask([verb, str(file), "--out", str(out), *options], self._folder), file, out)
        except ProgramError as error:
            ended = error
        # Behind the handler, so that a failure shows the program's message alone.
        if isinstance(ended, Refusal):
            pytest.skip(str(ended))
        pytest.fail(f"{ended}\nscenario: {file}")


def _options(given: "dict[str, object]") -> List[str]:
    return [word for option, value in given.items() if value is not None for word in (option, str(value))]


def _refuse_beside_scenario(**given: object) -> None:
    __tracebackhide__ = True
    extra = [name for name, value in given.items() if value is not None]
    if extra:
        raise TypeError(f"{', '.join(extra)}: the scenario's file says that; write it there, or give client= instead")


def _folder_for(nodeid: str) -> str:
    """A name for a file system, of its own for each test."""
    plain = re.sub(r"[^\w.-]+", "-", nodeid).strip("-")
    return plain if "[" not in nodeid else f"{plain}-{hashlib.sha256(nodeid.encode()).hexdigest()[:8]}"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("lockproof")
    group.addoption(
        "--lockproof-out",
        metavar="DIR",
        help="folder for scenarios, counterexamples and pages, one for each test (default: the test's tmp_path)",
    )


@pytest.fixture
def lockproof(request: pytest.FixtureRequest, tmp_path: Path) -> Lockproof:
    """Judges locks in virtual time: lockproof.explore(client="my_lock.py", faults=["pause"]).holds("…")."""
    given = request.config.getoption("--lockproof-out")
    out = Path(given).absolute() / _folder_for(request.node.nodeid) if given else tmp_path / "lockproof"
    if out.exists():
        shutil.rmtree(out)  # of an earlier run of the same test
    name = re.sub(r"\W+", "_", request.node.name).strip("_")
    return Lockproof(Path(request.node.path).parent, out, name)
