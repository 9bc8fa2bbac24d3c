#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""explore --liveness where the graph does not fit: heal, then finish. liveness_finish.py LOCKPROOF SOURCE."""
import json
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE = sys.argv[1:3]
SMALL = ["--memory", "1K", "--format", "json"]


def explore(name, *options):
    command = [LOCKPROOF, "explore", f"scenarios/documented/{name}.toml", "--liveness", *SMALL, *options]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, timeout=60)
    assert not done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def main():
    code, found = explore("redlock/redlock-lockstep-twin", "--runs", "20")
    # Nothing is expected of --liveness there, so the exit code is not that of an open question.
    assert (code, found["verdict"], found["complete"]) == (0, "no-violation", False), found
    assert found["finish"]["runs"] == 20 and not found["finish"]["stuck"], found

    code, found = explore("redlock/redlock-lockstep-twin", "--runs", "0")
    assert (code, found["verdict"]) == (0, "unknown") and "finish" not in found, found

    with tempfile.TemporaryDirectory() as folder:
        code, found = explore("notifications/missed-unlock-message", "--budget", "scenarios/budgets/one-server.toml",
                              "--runs", "300", "--out", folder)
        assert (code, found["verdict"], found["kind"]) == (1, "violated", "lost-wakeup"), found
        (stuck,) = (one for one in found["finish"]["stuck"] if one["kind"] == "lost-wakeup")
        again = subprocess.run([LOCKPROOF, "run", stuck["file"]], capture_output=True, text=True, timeout=60)
        assert again.returncode == 0 and "violated (lost-wakeup)" in again.stdout, again.stdout
    print("heal, then finish: as documented")


if __name__ == "__main__":
    main()
