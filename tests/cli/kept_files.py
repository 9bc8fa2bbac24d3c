#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a command reads stays as it is, whatever it is told to write; and a bad entry of a folder stops no other.

kept_files.py LOCKPROOF SOURCE
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM, SOURCE = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
WRONG = 64
GRAPH = "--" + "dot"  # the old form, in which lockproof writes the file
BROKEN = SOURCE / "scenarios/documented/leases/lease-outlived.toml"


def call(folder, *words):
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=60,
                          check=False)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def refused(folder, sentence, *words, kept="a.toml"):
    before = (folder / kept).read_bytes()
    code, text = call(folder, *words)
    assert code == WRONG and sentence in text, f"{words}: {code}: {text}"
    assert (folder / kept).read_bytes() == before, f"{words} changes {kept}"


def inputs_stay(folder):
    shutil.copy(BROKEN, folder / "a.toml")
    shutil.copy(BROKEN, folder / "b.toml")
    shutil.copy(SOURCE / "docs/guide/examples/my_lock.lua", folder / "lock.lua")
    (folder / "link").symlink_to("a.toml")
    (folder / "notes.txt").write_text("mine")
    own = "is what this command reads"
    for words in (["explore", "a.toml", "--checkpoint", "a.toml"], ["run", "a.toml", "--junit", "a.toml"],
                  ["check", "a.toml", "--junit", "./a.toml"], ["run", "a.toml", "--junit", "link"],
                  ["explore", "a.toml", GRAPH, "a.toml"], ["minimize", "a.toml", "--out", "a.toml"]):
        refused(folder, own, *words)
    theirs = "is there, and is a file of your own"
    refused(folder, theirs, "run", "a.toml", "--junit", "b.toml", kept="b.toml")
    refused(folder, theirs, "explore", "a.toml", GRAPH, "lock.lua", kept="lock.lua")
    refused(folder, "is no checkpoint", "explore", "a.toml", "--checkpoint", "notes.txt", kept="notes.txt")
    code, text = call(folder, "run", "a.toml", "--junit", "new.xml", "-q")
    assert code == 0 and (folder / "new.xml").exists(), text
    code, text = call(folder, "run", "a.toml", "--junit", "new.xml", "-q")
    assert code == 0, f"what lockproof wrote may be written again: {text}"
    (folder / "history.jsonl").write_text("not mine")  # an output that is an input by its place


def folder_of_input(folder):
    """A folder that --out names may hold the input, by the name of an output."""
    place = folder / "out"
    place.mkdir()
    shutil.copy(BROKEN, place / "trace.txt")
    before = (place / "trace.txt").read_bytes()
    code, text = call(folder, "run", "out/trace.txt", "-q", "--out", "out")
    assert code == 69 and "is what this command reads" in text, f"{code}: {text}"
    assert (place / "trace.txt").read_bytes() == before


def folder_that_cannot_be(folder):
    """It is told before the search, whose answer would be lost."""
    (folder / "file").write_text("", encoding="utf-8")
    for out in "file", "file/below", "x" * 300:
        code, text = call(folder, "explore", BROKEN, "-q", "--out", out)
        assert code == 69 and text.startswith(f"lockproof: cannot write into {out}: "), f"{out}: {code}: {text}"


def names(folder):
    for name in ("/", "", ".toml", "..", "x/", "x/.toml"):
        code, text = call(folder, "new", name, "--algorithm", "set-px-token")
        assert code == WRONG and "is no name for a file" in text, f"new {name!r}: {code}: {text}"
    assert not (folder / ".toml").exists()


def bad_entries(folder):
    place = folder / "many"
    (place / "closed").mkdir(parents=True)
    shutil.copy(BROKEN, place / "good.toml")
    (place / "loop.toml").symlink_to("loop.toml")
    (place / "closed").chmod(0)
    code, text = call(folder, "check", "many")
    assert code == WRONG and "internal error" not in text, f"{code}: {text}"
    assert "many/loop.toml: cannot be read" in text and "ok simulated many/good.toml" in text, text
    shown = "many/closed: cannot be read" in text
    assert shown or subprocess.run(["id", "-u"], capture_output=True, check=True).stdout == b"0\n", text
    (place / "closed").chmod(0o755)
    code, text = call(folder, "run", "many/loop.toml")
    assert code == WRONG and "cannot be read" in text, f"{code}: {text}"
    (place / "endless.toml").symlink_to("/dev/zero")
    code, text = call(folder, "run", "many/endless.toml")
    assert code == WRONG and "larger than" in text, f"{code}: {text[:300]}"


def main():
    for test in inputs_stay, folder_of_input, folder_that_cannot_be, names, bad_entries:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("files are kept")


if __name__ == "__main__":
    main()
