#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the tree, moves it, and runs it there as a user would: install.py CMAKE BUILD_FOLDER.

Whatever the program needs besides (the clock shim, the reports, the scenarios) it must find from where it is itself.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "docs"))
import links  # noqa: E402

CMAKE, BUILD = sys.argv[1:3]
TRIES = 4
LEASE_OUTLIVED = "share/lockproof/scenarios/documented/leases/lease-outlived.toml"


def call(folder, *words, codes=(0,)):
    done = subprocess.run([str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False, env={"PATH": os.environ["PATH"], "NO_COLOR": "1", "HOME": str(folder)})
    if done.returncode not in codes:
        sys.exit(f"{words} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def completions(place, *line):
    """What bash offers at the end of the line."""
    script = """source share/bash-completion/completions/lockproof
        COMP_WORDS=("$@" ''); COMP_CWORD=$#; _lockproof; printf '%s\\n' "${COMPREPLY[@]}" """
    return call(place, "bash", "-c", script, "bash", *line).split()


def shown_in_guide(name):
    """A file as chapter 8 shows it."""
    page = (pathlib.Path(__file__).resolve().parents[2] / "docs/guide/08-your-own-lock.md").read_text(encoding="utf-8")
    return re.search(rf"^```\w+\n# [\w./-]*/{name}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)[1]


def follow_chapter_8(program, folder):
    """In a folder with nothing but what the page shows."""
    if subprocess.run(["/usr/bin/python3", "-c", "import redis"], check=False, capture_output=True).returncode != 0:
        return print("skipped: chapter 8 needs python3-redis")
    folder.mkdir()
    for name in ("redis_py.py", "redis_py.toml"):
        (folder / name).write_text(shown_in_guide(name), encoding="utf-8")
    call(folder, program, "real", "redis_py.toml", "--quiet", codes=(0, 2))
    for _ in range(TRIES):  # a machine that is late decides nothing
        shutil.rmtree(folder / "out", ignore_errors=True)
        out = call(folder, program, "sweep", "redis_py.toml", "--faults", "pause", "--repeat", "1", "-j", "2", "--time",
                   "60s", "--out", "out", codes=(1, 2, 3, 69))
        if "mutual-exclusion: outlived" in out:
            break
    if "mutual-exclusion: outlived" not in out and "the machine was late" in " ".join(out.split()):
        return print("not decided: the machine was late each time")
    assert "mutual-exclusion: outlived" in out, out
    call(folder, program, "real", next((folder / "out").glob("finding-*.toml")), codes=(0, 1, 2))
    scaled = shown_in_guide("redis_py.toml").replace('lease = "300ms"', "").replace("[workload]", 'clock = "scaled"\n')
    (folder / "scaled.toml").write_text(scaled, encoding="utf-8")
    out = call(folder, program, "real", "scaled.toml", "--quiet", codes=(0, 2))
    assert "cannot be made" not in out and "mutual-exclusion" in out, out
    return None


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        call(scratch, CMAKE, "--install", BUILD, "--prefix", scratch / "first")
        place = scratch / "a folder" / "of another name"
        place.parent.mkdir()
        (scratch / "first").rename(place)
        program = place / "bin/lockproof"
        for verb in ("run", "real", "explore"):
            out = call(scratch, program, verb, place / LEASE_OUTLIVED, "--quiet", "--out", scratch / verb)
            assert "mutual-exclusion    violated (outlived)" in out, out
        examples = pathlib.Path(__file__).resolve().parents[2] / "docs/guide/examples"
        for name in ("my_lock.lua", "my_lock.toml"):
            (scratch / name).write_text((examples / name).read_text(encoding="utf-8"), encoding="utf-8")
        for verb in ("run", "real", "explore"):
            out = call(scratch, program, verb, "my_lock.toml", "--quiet", codes=(1, 2))
            assert ("violated (double-grant)" in out) == (verb == "explore"), out
        follow_chapter_8(program, scratch / "ten minutes")
        call(scratch, program, "report", scratch / "run", scratch / "real", "--out", scratch / "pictures")
        assert list((scratch / "pictures").glob("*.png")), "report draws"
        call(scratch, program, "report", "--html", scratch / "run", scratch / "real", "--out", scratch / "pages")
        assert (scratch / "pages/lease-outlived.html").exists(), "report writes a page"
        lesson = place / "share/lockproof/reports/lessons/why-locks-break.toml"
        call(scratch, program, "report", "--html", lesson, "--out", scratch / "class")
        assert len(list((scratch / "class").glob("*.html"))) == 7, "a lesson finds its scenarios"
        page = (place / "share/man/man1/lockproof.1").read_text(encoding="utf-8")
        assert page.startswith(".TH LOCKPROOF 1") and ".SH EXIT STATUS" in page and ".B \\-\\-find " in page, page
        assert {"run", "real", "explore"} <= set(completions(place, "lockproof")), completions(place, "lockproof")
        assert "redlock" in completions(place, "lockproof", "run", "--algorithm")
        documentation = place / "share/doc/lockproof"
        dead = links.findings(documentation)
        assert not dead, dead
        failures = (documentation / "docs/reference/failures.md").read_text(encoding="utf-8")
        assert "## By symptom" in failures and "(../../../../lockproof/scenarios/" in failures, failures[:2000]
        build, source = BUILD.encode(), str(pathlib.Path(__file__).resolve().parents[2]).encode()
        for file in (path for path in place.rglob("*") if path.is_file()):
            text = file.read_bytes()
            assert build not in text and source + b"/" not in text, f"{file} names the folder in which it was built"
    print("the installed tree can be moved")


if __name__ == "__main__":
    main()
