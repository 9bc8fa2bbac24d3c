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
    theirs = "is there, and lockproof did not write it"
    (folder / "notes.xml").write_text("<notes>mine</notes>")
    for words, kept in ((["run", "a.toml", "--junit", "b.toml"], "b.toml"),
                        (["explore", "a.toml", GRAPH, "lock.lua"], "lock.lua"),
                        (["minimize", "a.toml", "--out", "b.toml"], "b.toml"),
                        (["explore", "a.toml", "--checkpoint", "notes.txt"], "notes.txt"),
                        *(([*words, "a.toml", "--junit", "notes.xml"], "notes.xml")
                          for words in (["run"], ["check"], ["explore"], ["run", "--runs", "3"])),
                        (["explore", "a.toml", GRAPH, "notes.txt"], "notes.txt")):
        refused(folder, theirs, *words, kept=kept)
    for words in (["explore", "a.toml", GRAPH, "graph.dot"], ["minimize", "a.toml", "-q", "--out", "small.toml"]):
        for again in range(2):
            code, text = call(folder, *words)
            assert code == 0, f"what lockproof wrote may be written again: {words}, {again}: {text}"
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


def folder_of_somebody(folder):
    """In a folder where lockproof has not written, a file with the name of an output stays; the answer is told."""
    place = folder / "mine"
    place.mkdir()
    for again in range(2):
        (place / "trace.txt").write_text("mine", encoding="utf-8")
        code, text = call(folder, "run", BROKEN, "-q", "--out", "mine")
        if not again:
            assert code == 69 and "mine/trace.txt: it is there, and lockproof did not write it" in text, (code, text)
            assert "violated (outlived) as expected" in text and "written:" not in text, text
            assert (place / "trace.txt").read_text(encoding="utf-8") == "mine"
    assert code == 0, "where it has written, it writes again"
    (folder / "empty").mkdir()
    for again in range(2):
        code, text = call(folder, "run", BROKEN, "-q", "--out", "empty")
        assert code == 0, f"{again}: {code}: {text}"


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
    for test in inputs_stay, folder_of_input, folder_of_somebody, folder_that_cannot_be, names, bad_entries:
        with tempfile.TemporaryDirectory() as folder:
            test(pathlib.Path(folder))
    print("files are kept")


if __name__ == "__main__":
    main()
