# SPDX-License-Identifier: Apache-2.0
"""A lesson: scenarios in an order, each with questions at which its page stops. The file is TOML; see
docs/guide/11-teaching.md for its keys.
"""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from history import BadInput

KEYS = {"title": str, "about": str, "part": list}
PART_KEYS = {"scenario": str, "title": str, "minutes": int, "aim": str, "question": list}
QUESTION_KEYS = {"stop": str, "before": str, "after": str, "ask": str, "choices": list, "answer": str, "why": str}
KINDS = {str: "a text", int: "a whole number", list: "a list"}
NEEDED = {"title", "part", "scenario", "aim", "before", "ask", "choices", "answer", "why"}


@dataclass
class Part:
    scenario: Path
    title: str  # of its page; without one, the scenario's
    minutes: int
    aim: str
    questions: list  # of tables, as in the file


@dataclass
class Lesson:
    path: Path
    title: str
    about: str
    parts: list


def load_lesson(path):
    """The lesson in a file. Raises BadInput."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise BadInput(f"{path}: {problem.strerror or problem}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise BadInput(f"{path}: {problem}") from None
    _check(path, "the lesson", table, KEYS)
    return Lesson(path, table["title"], table.get("about", ""),
                  [_part(path, number, one) for number, one in enumerate(table["part"], start=1)])


def _part(path, number, table):
    where = f"part {number}"
    _check(path, where, table, PART_KEYS)
    questions = table.get("question", [])
    for i, one in enumerate(questions, start=1):
        here = f"{where}, question {i}"
        _check(path, here, one, QUESTION_KEYS)
        if one["answer"] not in one["choices"]:
            raise BadInput(f"{path}: {here}: the answer '{one['answer']}' is none of its choices")
    scenario = Path(os.path.normpath(path.parent / table["scenario"]))
    return Part(scenario, table.get("title", ""), table.get("minutes", 0), table["aim"], questions)


def _check(path, where, table, keys):
    if not isinstance(table, dict):
        raise BadInput(f"{path}: {where} is no table")
    for name, value in table.items():
        if name not in keys:
            raise BadInput(f"{path}: {where} has a key '{name}' that is not known; the keys are {', '.join(keys)}")
        if not isinstance(value, keys[name]):
            raise BadInput(f"{path}: {where}: '{name}' is to be {KINDS[keys[name]]}")
    for name in keys:
        if name in NEEDED and name not in table:
            raise BadInput(f"{path}: {where} has no '{name}'")


def questions_of(lesson, part, page_run):
    """The questions of a part: `stop` is the last step that is shown before the answer, `step` the event that decides.
    Raises BadInput where an event that is named never happens, or a question shows what a later stop is to hide."""
    found, decided = [], 0
    for number, one in enumerate(part.questions, start=1):
        after = _event(lesson, part, page_run, one["after"]) if "after" in one else 0
        step = _event(lesson, part, page_run, one["before"], after)
        stop = _event(lesson, part, page_run, one["stop"], after) if "stop" in one else step
        if not decided < stop <= step:
            place = "after the event that it asks about" if stop > step else "too early: nothing new is shown before it"
            raise BadInput(f"{lesson.path}: {part.scenario.name}: question {number} stops {place}")
        decided = step
        found.append({"step": step, "stop": stop - 1, "ask": one["ask"],
                      "choices": [str(choice) for choice in one["choices"]],
                      "right": one["choices"].index(one["answer"]), "why": one["why"]})
    return found


def _event(lesson, part, page_run, words, from_step=0):
    step = page_run.first_step(words, from_step)
    if step is None:
        raise BadInput(f"{lesson.path}: no event of {part.scenario.name} begins with '{words}'")
    return step
