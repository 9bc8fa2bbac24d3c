# SPDX-License-Identifier: Apache-2.0
"""Reading what runs wrote: history.jsonl and verdict.json.

Everything that is wrong with a file becomes a BadInput with one sentence that says where and what, so that a command
can print it and stop before it has written anything.
"""

import functools
import json
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

VERSION = 2
SCHEMA_VERSION = 2  # of verdict.json and results.json
HOST_KINDS = ("client", "server", "resource")
BAD_INPUT_EXIT = 65
OUTLIVING = ("postgres", "zookeeper")  # services whose servers have all that they have answered on disk
ENSEMBLES = ("zookeeper",)  # services whose servers keep one log together


class BadInput(Exception):
    """A file that cannot be drawn; the text says which, where and why."""


@functools.cache
def _print_hint():
    print("'not-found' is now called 'no-violation'; this version still reads the old word, the next one will not",
          file=sys.stderr)


def _current(found):
    """A verdict of the version before, in the words of this one."""
    if found.get("verdict") == "not-found":
        _print_hint()
        found["verdict"] = "no-violation"
    return found


def json_from(path):
    """What stands in a file of JSON. Raises BadInput."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"), object_hook=_current)
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror or problem}") from None
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{path}: this is no JSON ({problem})") from None
    version = value.get("schema_version", SCHEMA_VERSION) if isinstance(value, dict) else SCHEMA_VERSION
    if not isinstance(version, int) or not 1 <= version <= SCHEMA_VERSION:
        raise BadInput(f"{path}: schema version {version}, but this program reads version {SCHEMA_VERSION}")
    return value


@dataclass(frozen=True)
class Event:
    """One line of a history. `raw` holds the fields that only some events have."""

    what: str
    host: str | None
    at: int  # microseconds since the start
    raw: dict = field(repr=False)

    def get(self, name, default=None):
        return self.raw.get(name, default)

    def fault(self, name):
        """What its kind of fault is: action, mark, meanwhile, clocks; nothing of an event that is of no fault."""
        return self.raw.get("fault_words", {}).get(name, "")

    def reading(self, clock):
        """What this host's clock shows, in microseconds; clock is wall, mono or boot."""
        value = self.raw.get(clock, 0)
        return value * 1000 if clock == "wall" else value


@dataclass(frozen=True)
class History:
    path: Path
    header: dict
    events: list

    @property
    def hosts(self):
        return [host["name"] for host in self.header["hosts"]]

    def kind(self, name):
        return self._kinds[name]

    @functools.cached_property
    def _kinds(self):
        return {host["name"]: host["kind"] for host in self.header["hosts"]}

    @property
    def world(self):
        return self.header.get("world", "?")

    @property
    def end(self):
        return max((event.at for event in self.events), default=0)

    @functools.cached_property
    def scenario(self):
        """The scenario that the header carries, as a table; empty where it cannot be read."""
        try:
            return tomllib.loads(self.header.get("scenario_text", ""))
        except tomllib.TOMLDecodeError:
            return {}

    def listed(self, name):
        """The tables that the scenario has under a name, as [[fault]]."""
        found = self.scenario.get(name, [])
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    def outlives(self, server):
        """Whether what is committed there outlives the server's process, whatever ends that."""
        return server.rsplit("-", 1)[0] in OUTLIVING

    def keeper(self, server):
        """The server at which it is noted whose the lock is: the servers of an ensemble keep one, at the first."""
        service = server.rsplit("-", 1)[0]
        return f"{service}-1" if service in ENSEMBLES and self._kinds.get(server) == "server" else server

    @functools.cached_property
    def readers(self):
        """The clients that share the lock."""
        return {event.host for event in self.events if event.what == "enter" and event.get("word") == "shared"}

    @property
    def permits(self):
        return self.header.get("permits", 1)

    def has_room(self, clients):
        """Whether the lock lets these clients in together, by the checkers' rule (harness/check/promise.hpp)."""
        return self.readers.issuperset(clients) or len(clients) <= self.permits

    def lock(self):
        """The lock's key."""
        return str(self.scenario.get("lock", "lock"))

    def algorithm(self):
        """A lock of the catalogue by its name, another one by its file."""
        found = self.scenario.get("algorithm", "")
        if not isinstance(found, dict):
            return str(found)
        words = found.get("command", [])
        words = words.split() if isinstance(words, str) else words
        files = [str(found.get("file", "")), *(word for word in words if Path(word).suffix)]
        return found.get("name") or Path(files[-1]).name or "".join(words[:1])


def load(path):
    """The history in a file. Raises BadInput."""
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8").split("\n")  # a name may have what else Python ends lines at
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror or problem}") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path}: this is no text file") from None
    if not lines[0]:
        raise BadInput(f"{path}: the file is empty")
    header = _header(path, lines[0])
    names = {host["name"] for host in header["hosts"]}
    events = [_event(path, number, line, names) for number, line in enumerate(lines[1:], start=2) if line.strip()]
    _refuse_damage(path, events)
    _add_fault_words(path, header, events)
    return History(path, header, events)


def _refuse_damage(path, events):
    """Events stand in the order in which they happened, and the last one says how the run ended."""
    last = 0
    for event in events:
        if event.at < last:
            raise BadInput(f"{path}: an event at {event.at} us stands behind one at {last} us: "
                           "its lines are not in the order in which they were written")
        last = event.at
    ends = [event for event in events if event.what == "end"]
    if not events or events[-1].what != "end" or len(ends) > 1:
        raise BadInput(f"{path}: its last event is not the end of the run: the history was cut, or is not yet whole")


def _add_fault_words(path, header, events):
    """To each strike and its end: what the header says of its kind of fault."""
    known = header.get("faults", {})
    for event in events:
        if event.what not in ("strike", "heal"):
            continue
        words = known.get(event.get("word")) if isinstance(known, dict) else None
        if isinstance(words, dict) and "action" in words and "mark" in words:
            event.raw["fault_words"] = words
        elif event.get("fault"):
            raise BadInput(f"{path}: the header has no words for the fault '{event.get('word')}'; "
                           "record the history again with this version")


def _parse(path, number, line):
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise BadInput(f"{path}, line {number}: this is no JSON ({problem})") from None
    if not isinstance(value, dict):
        raise BadInput(f"{path}, line {number}: expected a JSON object")
    return value


def _header(path, line):
    header = _parse(path, 1, line)
    if "lockproof_history" not in header:
        raise BadInput(f"{path}, line 1: this is no lockproof history")
    version = header["lockproof_history"]
    if version != VERSION:
        raise BadInput(f"{path}, line 1: history version {version}, but this program reads version {VERSION}")
    hosts = header.get("hosts")
    if not isinstance(hosts, list) or not hosts:
        raise BadInput(f"{path}, line 1: the header names no hosts")
    for host in hosts:
        if not isinstance(host, dict) or "name" not in host or host.get("kind") not in HOST_KINDS:
            raise BadInput(f"{path}, line 1: a host needs a name and a kind ({', '.join(HOST_KINDS)}), but got {host}")
    return header


def _event(path, number, line, names):
    raw = _parse(path, number, line)
    what, at = raw.get("what"), raw.get("at")
    if not isinstance(what, str):
        raise BadInput(f"{path}, line {number}: the event does not say what it is ('what')")
    if not isinstance(at, int):
        raise BadInput(f"{path}, line {number}: the event does not say when it was ('at', in microseconds)")
    for role in ("host", "peer"):
        if raw.get(role) is not None and raw[role] not in names:
            raise BadInput(f"{path}, line {number}: no host is named '{raw[role]}'")
    # Pages and pictures follow the scenario's lock; what is about another one is only told.
    return Event(f"{what} of {raw['lock']}" if raw.get("lock") else what, raw.get("host"), at, raw)


@dataclass(frozen=True)
class Run:
    """A folder that a run wrote."""

    path: Path
    history: History
    verdict: dict | None


def load_run(path):
    """The run in a folder (or the one that owns the given history.jsonl). Raises BadInput."""
    path = Path(path)
    if path.is_dir():
        return Run(path, load(path / "history.jsonl"), load_verdict(path / "verdict.json"))
    return Run(path.parent, load(path), load_verdict(path.parent / "verdict.json"))


def load_verdict(path):
    """The verdicts beside a history, or None where there are none. Raises BadInput."""
    if not path.exists():
        return None
    verdict = json_from(path)
    if not isinstance(verdict, dict) or not isinstance(verdict.get("properties"), list):
        raise BadInput(f"{path}: expected an object with a list 'properties'")
    return verdict


def word_text(word):
    """A command's word as a person reads it: a script by its name, a long token shortened."""
    if isinstance(word, dict):
        if "script" in word:
            return word["script"]
        if "nil" in word:
            return "nil"
        return shortened(str(next(iter(word.values()), "")))
    return str(word)


def shortened(text, limit=9):
    return text if len(text) <= limit else text[: limit - 1] + "…"


def command_text(words):
    """EVAL and its count of keys are left out: the script's name is the verb."""
    texts = [word_text(word) for word in words]
    if texts and texts[0] in ("EVAL", "EVALSHA") and len(texts) > 2:
        texts = [texts[1]] + texts[3:]
    return " ".join(texts)


def reply_text(reply):
    if isinstance(reply, list):
        return "[" + ", ".join(reply_text(item) for item in reply) + "]"
    if isinstance(reply, dict):
        if reply.get("nil"):
            return "nil"
        return word_text(next(iter(reply.values()), ""))
    return "nil" if reply is None else str(reply)
