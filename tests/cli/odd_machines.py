#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A machine that gives little, and files that are not what they should be: one sentence, and the right exit code.

odd_machines.py LOCKPROOF SOURCE
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
BROKEN = SOURCE / "scenarios/documented/leases/lease-outlived.toml"
BAD_DATA, ENVIRONMENT, WRONG, UNKNOWN = 65, 69, 64, 2


def call(*words, limit=None, shell="", cwd=SOURCE):
    line = [PROGRAM, *map(str, words)]
    if shell:
        line = ["bash", "-c", f'"$0" "$@" {shell}', *line]
    done = subprocess.run(line, cwd=cwd, capture_output=True, text=True, timeout=120, check=False,
                          preexec_fn=(lambda: resource.setrlimit(*limit)) if limit else None)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def threads_without_room():
    """A bound on processes does not bind root, so the address space is what leaves no room for stacks of threads."""
    for megabytes in (60, 100, 250):
        code, text = call("explore", BROKEN, "--workers", "8", "-q", limit=(resource.RLIMIT_AS, (megabytes << 20,) * 2))
        assert code in (0, 1, UNKNOWN, ENVIRONMENT) and "internal error" not in text, f"{megabytes} MB: {code}: {text}"
    if os.geteuid() == 0:  # as somebody whom the bound binds
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            shutil.copy(PROGRAM, f"{folder}/lockproof")
            shutil.copy(BROKEN, f"{folder}/a.toml")
            for words in ("explore a.toml --workers 8 -q", "run a.toml --runs 50 --workers 8 -q"):
                done = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "bash", "-c",
                                       f"ulimit -u 3; exec ./lockproof {words}"], cwd=folder, capture_output=True,
                                      text=True, timeout=120, check=False)
                text = done.stdout + done.stderr
                assert done.returncode in (0, 1) and "terminate" not in text, f"{words}: {done.returncode}: {text}"


def a_run_that_dies_is_one_error():
    """A bound on CPU seconds ends the process of the run that has no end, and of no other."""
    attacks = SOURCE / "tests/cli/attacks"
    code, text = call("check", attacks / "long-strings.toml", BROKEN, limit=(resource.RLIMIT_CPU, (1, 1)))
    assert code == WRONG and "long-strings.toml" in text and "ended lockproof itself" in text, f"{code}: {text}"
    assert "ok simulated" in text and BROKEN.name in text, text


def closed_outputs():
    for words in (["run", BROKEN], ["check", BROKEN], ["explore", BROKEN]):
        code, _ = call(*words, shell=">&- 2>&-")
        assert code == ENVIRONMENT, f"{words} without outputs ends with {code}"
        code, text = call(*words, shell=">&-")
        assert code == ENVIRONMENT and "cannot write to standard output" in text, f"{code}: {text}"
        code, _ = call(*words, shell="</dev/full >/dev/full 2>/dev/full")
        assert code == ENVIRONMENT, f"{words} on a full disk ends with {code}"
    with tempfile.TemporaryDirectory() as folder:
        tasks = call("plan", "run", BROKEN, "--runs", "5", shell=f">{folder}/tasks")
        code, text = call("work", shell=f"<{folder}/tasks >/dev/full")
        assert code == ENVIRONMENT and "cannot write to standard output" in text, f"work after {tasks}: {code}: {text}"
    if shutil.which("redis-server"):
        code, text = call("real", BROKEN, "-q", shell=">&-")
        assert code == ENVIRONMENT and "cannot write to standard output" in text, f"real: {code}: {text}"


def drawn(folder, lines, verdict=None, out="pictures"):
    (folder / "history.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    if verdict is not None:
        (folder / "verdict.json").write_text(verdict, encoding="utf-8")
    done = subprocess.run(["/usr/bin/python3", "-B", SOURCE / "reports/report.py", folder, "-o", folder / out],
                          capture_output=True, text=True, timeout=120, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout + done.stderr


def histories():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        text = BROKEN.read_text(encoding="utf-8")
        (folder / "a.toml").write_text('lock = "a\u2028b"\n' + text, encoding="utf-8")
        code, said = call("run", folder / "a.toml", "-q", "--out", folder)
        assert code == 0, said
        lines = (folder / "history.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
        verdict = (folder / "verdict.json").read_text(encoding="utf-8")
        assert any("\u2028" in line for line in lines), "the name is in the history"
        code, said = drawn(folder, lines)
        assert code == 0, said
        code, said = drawn(folder, lines, out="verdict.json")
        assert code == BAD_DATA and "is no folder" in said, (code, said)
        (folder / "cut.jsonl").write_text(lines[0][:-9], encoding="utf-8")
        code, said = call("explain", folder / "cut.jsonl")
        assert code == BAD_DATA and "cut.jsonl: line 1: this is no JSON, from its byte" in said, (code, said)
        middle = len(lines) // 2
        for changed, sentence in (([lines[0], lines[-2], *lines[1:]], "not in the order"),
                                  (lines[:middle], "the history was cut"),
                                  ([*lines, lines[-1]], "the history was cut"),
                                  ([lines[0], "[" * 100000], "this is no JSON")):
            code, said = drawn(folder, changed)
            assert code == BAD_DATA and sentence in said, f"{code}: {said}"
        code, said = drawn(folder, lines, json.dumps({**json.loads(verdict), "schema_version": 999}))
        assert code == BAD_DATA and "schema version 999" in said, f"{code}: {said}"
        code, said = drawn(folder, lines, "[" * 100000)
        assert code == BAD_DATA and "this is no JSON" in said, f"{code}: {said}"


def baselines():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        code, said = call("check", BROKEN, "--out", folder)
        assert code == 0, said
        results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        for changed, sentence in (({"schema_version": 999}, "schema_version: is 999"),
                                  ({"runs": []}, "there are none to compare with")):
            (folder / "other.json").write_text(json.dumps({**results, **changed}), encoding="utf-8")
            code, said = call("check", BROKEN, "--baseline", folder / "other.json")
            assert code == WRONG and sentence in said, f"{code}: {said}"


def small_files():
    """What cannot be written is said, and nothing of it is left."""
    for verb, most in ("run", 0), ("run", 1000), ("run", 20000), ("explore", 0), ("explore", 1000), ("check", 1000):
        with tempfile.TemporaryDirectory() as folder:
            code, text = call(verb, BROKEN, "--out", folder, limit=(resource.RLIMIT_FSIZE, (most, most)))
            assert code == ENVIRONMENT and "File too large" in text, f"{verb}, {most} bytes: {code}: {text}"
            left = list(pathlib.Path(folder).glob("*.tmp"))
            assert not left, f"{verb} leaves {left}"


def small_files_of_real_runs():
    if not shutil.which("redis-server"):
        return
    for kilobytes in 0, 20, 1000:
        code, text = call("real", BROKEN, "-q", limit=(resource.RLIMIT_FSIZE, (kilobytes << 10,) * 2))
        assert code == ENVIRONMENT and "shared memory" in text and "File too large" in text, f"{code}: {text}"


def small_stacks():
    for kilobytes in 64, 512:
        for verb in "run", "explore", "check":
            code, text = call(verb, BROKEN, limit=(resource.RLIMIT_STACK, (kilobytes << 10,) * 2))
            assert code == ENVIRONMENT and f"a stack of {kilobytes} KB is too small" in text, f"{verb}: {code}: {text}"
    code, text = call("explore", BROKEN, "-q", "--workers", "4", limit=(resource.RLIMIT_STACK, (1 << 20,) * 2))
    assert code == 0, f"{code}: {text}"


FULL = """set -e
mount -t tmpfs -o size=8k none "$1"
shift
exec "$@"
"""


def full_disk():
    """Where the kernel lets a user mount: the answer is told, and then what could not be written."""
    with tempfile.TemporaryDirectory() as folder:
        alone = ["unshare", "-Urm", "bash", "-c", FULL, "full", folder]
        if subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
            return
        for words, answer in ((["run", BROKEN, "-q"], "violated (outlived)"),
                              (["explore", BROKEN, "-q"], "violated (outlived)"),
                              (["minimize", BROKEN, "-q"], "the smallest cause"),
                              (["check", BROKEN.parent], "as expected"),
                              (["run", BROKEN, "--runs", "20"], "violated (outlived)"),
                              (["frontier", "set-px-token", "--time", "2s"], "set-px-token")):
            done = subprocess.run([*alone, PROGRAM, *map(str, words), "--out", f"{folder}/out"], cwd=SOURCE,
                                  capture_output=True, text=True, timeout=120, check=False)
            said, complaint = " ".join(done.stdout.split()), " ".join(done.stderr.split())
            assert done.returncode == ENVIRONMENT, f"{words}: {done.returncode}: {complaint}"
            assert answer in said, f"{words}: the answer is lost: {said}"
            assert "No space left on device" in complaint and "written:" not in said, f"{words}: {said}: {complaint}"


def no_run_made():
    code, text = call("run", SOURCE / "scenarios/bench/token-4x2.toml", "--runs", "1000", "--strategy", "random",
                      "--budget", SOURCE / "scenarios/budgets/one-server.toml", "--time", "1us")
    assert code == UNKNOWN and "every expectation met" not in text and "no run was made" in text, f"{code}: {text}"


def no_loopback():
    """Where the kernel lets a user have a network of his own, in which the loopback is down."""
    alone = ["unshare", "-Urn"]
    if not shutil.which("redis-server") or subprocess.run([*alone, "true"], check=False).returncode:
        return
    done = subprocess.run([*alone, PROGRAM, "real", BROKEN, "-q"], capture_output=True, text=True, timeout=60,
                          check=False)
    text = " ".join(done.stderr.split())
    assert done.returncode == ENVIRONMENT and "127.0.0.1 cannot be reached" in text, f"{done.returncode}: {text}"


def server_that_is_a_script():
    """It starts programs of its own, which end with the run."""
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "redis-server")
        script.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Redis server v=7.0.15" && exit\nsleep 7531 &\n')
        script.chmod(0o755)
        code, text = call("real", BROKEN, "-q", "--server", f"redis={script}")
        assert code == ENVIRONMENT and "redis-server" in text, f"{code}: {text}"
    left = subprocess.run(["pgrep", "-fx", "sleep 7531"], capture_output=True, text=True, check=False).stdout.split()
    assert not left, f"{len(left)} processes are left"


def main():
    threads_without_room()
    a_run_that_dies_is_one_error()
    closed_outputs()
    histories()
    baselines()
    small_files()
    small_files_of_real_runs()
    small_stacks()
    full_disk()
    no_run_made()
    no_loopback()
    server_that_is_a_script()
    print("odd machines are told apart")


if __name__ == "__main__":
    main()
