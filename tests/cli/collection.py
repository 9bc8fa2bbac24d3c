#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What check collects below a folder, and what it makes of scenarios without [expect]: guide 15's lock in guide 21's
job is red only because it breaks. collection.py LOCKPROOF SOURCE"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, SOURCE = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
GOOD = ('[algorithm]\nname = "set-px-token"\n[workload]\nwork = ["hold 100ms"]\n[explore]\ncontention = "as-written"\n'
        'max_faults = 0\n')
BROKEN = (SOURCE / "scenarios/documented/leases/lease-outlived.toml").read_text(encoding="utf-8").split("[expect")[0]


def call(folder, *words, code):
    done = subprocess.run([PROGRAM, *words], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, f"{words} ends with {done.returncode}: {done.stdout}{done.stderr}"
    return done


def lock_of_guide(folder):
    locks = folder / "locks"
    locks.mkdir()
    for name in ("my_lock.lua", "my_lock.toml"):
        shutil.copy(SOURCE / "docs/guide/examples" / name, locks)
    return locks


def check_job(folder, yml):
    """The lines of a CI file: the runs expect nothing, and the search shows that the lock breaks."""
    (folder / "locks/baseline.json").unlink(missing_ok=True)
    call(folder, "check", "locks", "--out", "before", code=0)
    shutil.copy(folder / "before/results.json", folder / "locks/baseline.json")
    text = (SOURCE / "docs/ci" / yml).read_text(encoding="utf-8")
    lines = re.findall(r"(?:run: |- )lockproof (check .*)", text)
    codes = []
    for line in lines:
        (folder / "out/locks").mkdir(parents=True, exist_ok=True)
        done = subprocess.run(["bash", "-c", f"{shlex.quote(PROGRAM)} {line}"], cwd=folder, capture_output=True,
                              text=True, timeout=120, check=False)
        codes.append(done.returncode)
    assert codes == [0, 1], f"{yml}: {codes}: {done.stdout}{done.stderr}"


def check_written(folder):
    """What lockproof wrote below a folder is left out, with a sentence; named itself it is collected."""
    call(folder, "explore", "locks/my_lock.toml", "-q", "--out", "locks/out/found", code=1)
    done = call(folder, "check", "locks", code=0)
    assert "locks/out/found" in done.stderr and "left out" in done.stderr, done.stderr
    assert "locks/out" not in done.stdout and "1 runs of 1 scenarios" in done.stdout, done.stdout
    done = call(folder, "check", "locks/out/found", code=0)
    assert not done.stderr and "locks/out/found/my_lock-" in done.stdout, done.stdout + done.stderr
    done = call(folder, "check", "locks/out", code=64)
    assert "there is no scenario below this folder" in done.stderr and "left out" in done.stderr, done.stderr
    kept = next((folder / "locks/out/found").glob("*double-grant.toml"))
    call(folder, "minimize", kept, "-q", "--out", "locks/kept.toml", code=0)  # as guide 21 has it
    done = call(folder, "check", "locks", code=0)
    assert re.search(r"ok +simulated +locks/kept.toml", done.stdout), done.stdout
    (folder / "locks/kept.toml").unlink()


def check_reviews(folder):
    shutil.copy(SOURCE / "docs/guide/examples/reviews/quick.toml", folder / "locks/question.toml")
    done = call(folder, "check", "locks", code=0)
    assert "locks/question.toml" in done.stderr and "lockproof review" in done.stderr, done.stderr
    assert "ERROR" not in done.stdout and "unreadable" not in done.stdout, done.stdout
    assert "ERROR" in call(folder, "check", "locks/question.toml", code=64).stdout, "named itself it is no scenario"
    (folder / "locks/question.toml").unlink()


def check_nothing_expected(folder):
    done = call(folder, "check", "locks", code=0)
    assert re.search(r"-  +simulated .*no violation, and nothing is expected", done.stdout), done.stdout
    assert "0 of 1 runs" in done.stdout and "1 not compared" in done.stdout, done.stdout
    assert "FAILED" in call(folder, "check", "locks", "--explore", code=1).stdout
    (folder / "locks/good.toml").write_text(GOOD, encoding="utf-8")
    done = call(folder, "check", "locks/good.toml", "--explore", code=0)
    assert re.search(r"ok +explored ", done.stdout), done.stdout
    (folder / "locks/good.toml").write_text(GOOD.split("[explore]")[0], encoding="utf-8")
    assert "explored" not in call(folder, "check", "locks/good.toml", "--explore", code=0).stdout
    (folder / "locks/good.toml").write_text(BROKEN, encoding="utf-8")
    assert "FAILED" in call(folder, "check", "locks/good.toml", code=1).stdout, "a violation fails a run"
    (folder / "locks/good.toml").unlink()


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        lock_of_guide(folder)
        check_nothing_expected(folder)
        check_written(folder)
        check_reviews(folder)
        for yml in ("github.yml", "gitlab.yml"):
            check_job(folder, yml)
    print("check collects what people wrote, and expects what they state")


if __name__ == "__main__":
    main()
