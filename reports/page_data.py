# SPDX-License-Identifier: Apache-2.0
"""What the page is told of a run: its steps, verdicts, and the questions at which it stops when it asks."""

import bisect

import steps
from results import is_judged, verdict_text

SHORT_ENTERS = 3  # of those that are asked for although the answer is yes
ASK = {  # property -> what is asked before the event that breaks it
    "resource-safety": "{host} is about to do what {peer} asked for: {text}. Is it right to accept that?",
    "owner-release": "{host}: {text}. Is the lock that is released {peer}'s own?",
    "once-per-period": "May {host} begin this period's work now?",
    "grant-is-valid": "{host}: {text}. Is this grant still good?",
    "fencing-order": "{host}: {text}. Is its token greater than those of all earlier grants?",
    "re-entrancy": "{host}: {text}. Does the lock stay with whoever acquired it more often than released it?",
}
ASK_ELSE = "{host}: {text}. Is this how the lock should behave?"


class PageRun:
    """One run as the page shows it."""

    def __init__(self, run, key, label, tab=True):
        self.run, self.key, self.label, self.tab = run, key, label, tab
        self.steps, self.left_out = steps.steps(run)
        self._numbers = [_position(step) for step in self.steps]
        self.verdicts = [self._verdict(one) for one in (run.verdict or {}).get("properties", [])]
        self.cause_steps, self.cause_text, self.own_questions = [], "", None

    @property
    def host_names(self):
        return self.run.history.hosts

    def event(self, i):
        """The event of a step; of an instant at which only time passes, the one before it."""
        return self.run.history.events[self._numbers[i]]

    def broken(self):
        """The names of what was violated, with their kinds; that a run shows nothing is no violation of a lock's."""
        return [one["name"] for one in self.verdicts if one["verdict"] == "violated" and one["property"] != "exercised"]

    def strikes(self):
        """Number of a fault of the scenario -> the steps at which it struck."""
        found = {}
        for i, step in enumerate(self.steps):
            if step["kind"] == "strike" and step.get("fault"):
                found.setdefault(step["fault"], []).append(i)
        return found

    def data(self):
        history = self.run.history
        parts = [f"{history.world} run", f"seed {history.header.get('seed', '?')}"]
        if (self.run.verdict or {}).get("world") == "logs":
            parts = ["from logs"]
        if history.header.get("speedup", 1) != 1:
            parts.append(f"clocks {history.header['speedup']} times as fast as real time")
        if self._program().get("key"):
            parts.append(f"the lock is the key '{self._program()['key']}'")
        asks = self.asks() if self.own_questions is None else self.own_questions
        return {"key": self.key, "label": self.label, "tab": self.tab, "about": " · ".join(parts),
                "real": history.world == "real",
                "hosts": [{"name": one["name"], "kind": one["kind"]} for one in history.header["hosts"]],
                "steps": self.steps, "left_out": self.left_out, "verdicts": self.verdicts,
                "cause_steps": self.cause_steps, "cause_text": self.cause_text, "asks": asks,
                "scenario": history.header.get("scenario_text", ""),
                "lock": _sentence(self._program().get("key_sentence", "")),
                "reproduce": (self.run.verdict or {}).get("reproduce", "")}

    def step_of(self, position):
        """The step of an event, or the last one before it where it is no step of its own."""
        return max(bisect.bisect_right(self._numbers, position) - 1, 0)

    def _program(self):
        """What the verdict says of a program of its own: its key, how that is known, or why nothing can be judged."""
        return (self.run.verdict or {}).get("programs", {})

    def _verdict(self, one):
        name = one.get("property", "?") + (f" ({one['kind']})" if one.get("kind") else "")
        found = {"name": name, "property": one.get("property", "?"), "verdict": verdict_text(one),
                 "judged": is_judged(one), "steps": []}
        if found["verdict"] == "violated":
            inside = [position for position in one.get("events", [])
                      if self._numbers and self._numbers[0] <= position <= self._numbers[-1]]
            found |= {"what": one.get("what", ""), "steps": [self.step_of(position) for position in inside]}
        return found

    def first_step(self, words, from_step=0):
        """The first step whose host and words begin so, or None."""
        return next((i for i, step in enumerate(self.steps) if i >= from_step
                     and f"{self.host_names[step['host']]} {step['text']}".startswith(words)), None)

    def asks(self):
        """Where the page stops: before clients enter, and before the event that breaks each property."""
        found, yes, inside, crowded, partings = {}, 0, [], 0, []
        names = self.host_names
        for i, step in enumerate(self.steps):
            before, inside, partings = inside, step.get("inside", inside), step.get("partings", partings)
            crowded = step.get("crowded", crowded)
            if step["kind"] != "enter" or i == 0:
                continue
            is_alone = not any(h != step["host"] for h in before)
            yes += not crowded
            if crowded or yes <= SHORT_ENTERS:
                room = "Nobody else is inside." if is_alone else "The lock has room for those who are inside together."
                why = " ".join(text for bad, text in partings if bad) if crowded else room
                ask = f"{names[step['host']]} has been granted the lock. May it enter now?"
                found[i] = _ask(i, ask, bool(crowded), why)
        for one in self.verdicts:
            i = one["steps"][-1] if one["steps"] else 0
            if i and i not in found:
                found[i] = _ask(i, self._question(one["property"], i), True, _sentence(one["what"]))
        return [found[i] for i in sorted(found)]

    def _question(self, name, i):
        event = self.event(i)
        words = {"host": event.host, "peer": event.get("peer") or event.host, "text": self.steps[i]["text"]}
        return ASK.get(name, ASK_ELSE).format(**words)


def _position(step):
    return int(step["id"].rstrip("abcdefghijklmnopqrstuvwxyz"))


def _ask(step, ask, wrong, why):
    return {"step": step, "stop": step - 1, "ask": ask, "choices": ["Yes", "No"], "right": int(wrong), "why": why}


def _sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") or not text else ".")
