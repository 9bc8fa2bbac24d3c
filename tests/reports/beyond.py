# SPDX-License-Identifier: Apache-2.0
"""What scenarios of the catalogue show beyond the table of frontier: one fault of a kind does to a lock what no
schedule of the table's workloads shows, with other work, clients or servers."""

import re
import tomllib

import frontier

JUDGED = ("mutual-exclusion", "resource-safety", "owner-release", "deadlock-freedom", "re-entrancy", "grant-is-valid",
          "fencing-order")
OF_EITHER = ("pause", "clock-jump", "clock-rate")  # of clients and of servers they are told apart
NO_FAULT_AT_ALL = "no fault at all"
COLUMNS = "DOLR"  # of the table, from the left; then what it is not broken by, and what was not tried


def table_of(page):
    """By lock what the table says, as the picture has it: {kind: letters}, without what needs no fault."""
    rows = re.search(r"<!-- frontier -->\n(.*?)<!-- end -->", page, re.S)[1].splitlines()[2:]
    found = {}
    for row in (row for row in rows if row.startswith("|")):  # below them: what was searched otherwise
        lock, *cells = [cell.strip() for cell in row.strip("|").split("|")]
        letters = found.setdefault(lock.strip("`"), {})
        for letter, cell in zip((*COLUMNS, frontier.NONE, frontier.NOT_TRIED), cells):
            for kind in cell.split(", ") if cell != "–" else ():
                kind = frontier.NO_FAULT if kind == NO_FAULT_AT_ALL else kind
                letters[kind] = letters.get(kind, "") + letter
    return found


def column_of(fault):
    if fault["kind"] == "suspend":
        return "suspend (client)"  # of clients only, and called so in the table
    if fault["kind"] not in OF_EITHER:
        return fault["kind"]
    return f"{fault['kind']} ({'client' if fault['target'].startswith('client') else 'server'})"


def beyond(table, scenarios):
    """(lock, fault, property, kind, scenario) of each violation that the catalogue shows with one fault and the lock's
    row does not, in order. What a lock does without a fault it does with any."""
    shown = []
    for file in sorted(scenarios.rglob("*.toml")):
        text = tomllib.loads(file.read_text(encoding="utf-8"))
        lock, faults = text.get("algorithm", {}).get("name"), text.get("fault", [])
        expected = text.get("expect", {}).get("run", {})
        if lock not in table or len(faults) != 1 or not isinstance(expected, dict):
            continue
        fault = column_of(faults[0])
        letters = table[lock].get(fault, "") + table[lock].get(frontier.NO_FAULT, "")
        for name, kind in expected.items():
            if name not in JUDGED or kind in ("no-violation", "unknown"):
                continue
            if frontier.letter_of(name, kind) not in letters:
                shown.append((lock, fault, name, "" if kind == "violated" else kind, file.relative_to(scenarios)))
    return sorted(shown)


def lines_of(shown):
    """As docs/reference/frontier.md lists them."""
    for lock, fault, name, kind, file in shown:
        of_kind = f" ({kind})" if kind else ""
        yield f"- `{lock}`, {fault}: {name}{of_kind} in [{file.stem}](../../scenarios/{file})"
