#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pytest plug-in as the archive has it: plugin.py CMAKE BUILD_FOLDER. With a redis-py client that is right and one
that is broken. The Python is Debian's, with python3-pytest and python3-redis."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs/guide/examples"
SKIPPED = 77
# test -> what its message has
MESSAGES = {
    "test_fails_readably": ("owner-release is violated, expected to hold",
                            "A client believed that the lock was its own", "again: lockproof run ", "page: "),
    "test_fails_if_unknown": ("owner-release is unknown, expected to hold", "the time limit of 300ms was reached"),
    "test_fails_if_not_judged": ("fencing-order is not judged", "no grant carries a fencing token"),
    "test_fails_if_only_a_run_was_made": ("owner-release is no-violation", "lockproof.explore searches every one"),
    "test_fails_if_the_kind_is_another": ("is violated (outlived), expected to be violated (double-grant)",),
    "test_fails_with_the_nearest_property": ("did you mean 'owner-release'?",),
    "test_fails_with_the_program_s_own_message": ("'kind' is 'pauze'", "did you mean 'pause'?"),
    "test_fails_if_the_client_does_not_start": ("is never ready", "No module named 'nothing_of_this_name'"),
    "test_fails_without_a_lock": ("Give client=", "or scenario="),
    "test_fails_with_two_workloads": ("lease: the scenario's file says that",),
    "test_is_skipped_where_virtual_time_cannot_run": ("starts another process", "only lockproof real can judge"),
    "test_is_skipped_where_the_service_has_no_server_there": ("which virtual time has no server for",),
}


def outcomes(python, folder, environment, *words):
    """By test: what became of it, and its message; and what pytest printed."""
    results = folder / "results.xml"
    done = subprocess.run([python, "-B", "-m", "pytest", "-p", "no:cacheprovider", f"--junit-xml={results}",
                           f"--lockproof-out={folder / 'kept'}", *words],
                          cwd=folder, capture_output=True, text=True, check=False,
                          env={**environment, "LOCKPROOF_EXAMPLES": str(EXAMPLES), "PYTHONDONTWRITEBYTECODE": "1"})
    assert results.exists(), done.stdout + done.stderr
    found = {}
    for case in ElementTree.parse(results).iter("testcase"):
        end = next((child for child in case if child.tag in ("failure", "error", "skipped")), None)
        found[case.get("name")] = ("passed", "") if end is None else (end.tag, f"{end.get('message')}\n{end.text}")
    return found, done.stdout


def check_outcomes(python, folder, environment):
    found, printed = outcomes(python, folder, environment, str(ROOT / "tests/package/plugin"))
    assert len(found) == 19, printed
    for test, (outcome, message) in found.items():
        expected = {"passes": "passed", "fails": "failure", "is": "skipped"}[test.split("_")[1]]
        assert outcome == expected, f"{test} {outcome}:\n{message}\n{printed}"
        for part in MESSAGES[test] if expected != "passed" else ():
            assert part in message, f"{test} lacks {part!r}:\n{message}"
    shown = found["test_fails_readably"][1]
    page = Path(next(line.split("page: ")[1] for line in shown.splitlines() if "page: " in line).split("&")[0].strip())
    assert page.is_relative_to(folder / "kept") and "<html" in page.read_text(encoding="utf-8")[:500].lower(), page
    assert "program.py" not in found["test_fails_with_the_program_s_own_message"][1], "the plug-in shows itself"
    own = [kept for kept in (folder / "kept").iterdir() if "folder_of_its_own" in kept.name]
    assert len(own) == 2, own


def check_examples(python, folder, environment):
    found, printed = outcomes(python, folder, environment, str(EXAMPLES / "pytest"))
    assert found and all(outcome == "passed" for outcome, _ in found.values()), printed


def main():
    cmake, build = sys.argv[1:]
    for module in ("pytest", "redis"):
        if subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], check=False, capture_output=True).returncode:
            print(f"skipped: Debian's Python has no {module}")
            sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        place = scratch / "installed"
        subprocess.run([cmake, "--install", build, "--prefix", place], check=True, capture_output=True)
        environment = {"PATH": f"{place}/bin:/usr/bin:/bin", "HOME": str(scratch),
                       "PYTHONPATH": str(place / "lib/python3/dist-packages")}
        check_outcomes("/usr/bin/python3", scratch, environment)
        check_examples("/usr/bin/python3", scratch, environment)
    print("the plug-in passes, fails and skips as it should")


if __name__ == "__main__":
    main()
