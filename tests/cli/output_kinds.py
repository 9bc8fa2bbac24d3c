#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is no file is written through and never replaced, a symbolic link stays one, and modes stay: of every kind of
output, each to a FIFO and a symbolic link of this test's own.

output_kinds.py LOCKPROOF SOURCE
"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import threading

SCENARIO = "scenarios/documented/leases/lease-outlived.toml"
SEARCHED = "scenarios/bench/token-3x2.toml"
MODE = 0o640
OLD = b"lockproof checkpoint: old"  # a checkpoint replaces nothing but another
OUTPUTS = {
    "report.xml": ["check", SCENARIO, "--junit", "report.xml"],
    "explored.xml": ["explore", SEARCHED, "--quiet", "--junit", "explored.xml"],
    "saved": ["explore", SEARCHED, "--quiet", "--memory", "1K", "--checkpoint", "saved"],
    "history.jsonl": ["run", SCENARIO, "--quiet", "--out", "."],
    "smallest.toml": ["minimize", SCENARIO, "--quiet", "--states", "20", "--out", "smallest.toml"],
}


def check(holds, what):
    if not holds:
        sys.exit(f"output_kinds: {what}")


def run(program, source, folder, words):
    """In the folder, so that the outputs are there."""
    words = [str(source / word) if word in (SCENARIO, SEARCHED) else word for word in words]
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    check(done.returncode < 64, f"{words} ends with {done.returncode}: {done.stderr}")


def read_whole(fifo, into):
    with open(fifo, "rb") as file:
        into.append(file.read())


def test_fifo(program, source, folder, name, words):
    fifo = folder / name
    os.mkfifo(fifo, MODE)
    read = []
    reader = threading.Thread(target=read_whole, args=(fifo, read), daemon=True)
    reader.start()
    run(program, source, folder, words)
    reader.join(10)
    check(stat.S_ISFIFO(fifo.lstat().st_mode), f"{name} is a FIFO still")
    check(read and read[0], f"{name} was written through")


def test_link(program, source, folder, name, words):
    target, link = folder / "elsewhere" / "target", folder / name
    target.parent.mkdir()
    target.write_bytes(OLD)
    target.chmod(MODE)
    link.symlink_to("elsewhere/target")
    run(program, source, folder, words)
    check(link.is_symlink(), f"{name} is a link still")
    check(target.read_bytes() not in (b"", OLD), f"what {name} leads to was written")
    check(stat.S_IMODE(target.stat().st_mode) == MODE, f"the mode of what {name} leads to")
    check([file.name for file in target.parent.iterdir()] == ["target"], f"nothing is left beside {name}")


def test_refusals(program, source, folder):
    def refused(path, why):
        done = subprocess.run([program, "check", str(source / SCENARIO), "--junit", str(path)], capture_output=True,
                              text=True, timeout=60, check=False)
        check(done.returncode == 69 and f"cannot write {path}: {why}" in done.stderr, f"{path}: {done.stderr}")

    (folder / "folder").mkdir()
    refused(folder / "folder", "Is a directory")
    (folder / "round").symlink_to("round")
    refused(folder / "round", "Too many levels of symbolic links")
    (folder / "text").write_text("", encoding="utf-8")
    refused(folder / "text" / "report.xml", "Not a directory")


def test_standard_output(program, source, folder):
    """It is open already: nothing takes its place."""
    with open(folder / "all.txt", "wb") as out:
        subprocess.run([program, "check", str(source / SCENARIO), "--junit", "/dev/stdout"], stdout=out, timeout=60,
                       check=False)
    text = (folder / "all.txt").read_text(encoding="utf-8")
    check("<testsuite" in text and "as expected" in text, f"both are in the same file:\n{text}")


def main():
    program, source = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    for name, words in OUTPUTS.items():
        for test in (test_fifo, test_link):
            with tempfile.TemporaryDirectory() as folder:
                test(program, source, pathlib.Path(folder), name, words)
    for test in (test_refusals, test_standard_output):
        with tempfile.TemporaryDirectory() as folder:
            test(program, source, pathlib.Path(folder))
    print("what is no file is not replaced")


if __name__ == "__main__":
    main()
