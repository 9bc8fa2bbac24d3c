#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What people type and see: numbers that are none, folders, terminals, file names that a shell takes apart, characters
that a terminal obeys, and two programs in one folder.

Usage: command_line.py PROGRAM ROOT
"""
import base64
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time
import zlib

TWIN = "scenarios/documented/leases/lease-outlived-twin.toml"
BROKEN = "scenarios/documented/leases/lease-outlived.toml"
CONTROL = "tests/cli/scenarios/control.toml"
TOO_LARGE = str(2**64)


class CommandLine:
    def __init__(self, program, root, folder):
        self.program, self.root, self.folder = program, root, pathlib.Path(folder)
        self.failed = []

    def expect(self, good, what):
        if not good:
            self.failed.append(what)

    def run(self, *words, code=None, **more):
        done = subprocess.run([self.program, *map(str, words)], cwd=self.root, capture_output=True, text=True,
                              timeout=100, check=False, **more)
        if code is not None:
            self.expect(done.returncode == code, f"{words} ends with {done.returncode}, not {code}: {done.stderr}")
        return done

    def on_terminal(self, *words, columns=0, **environment):
        """What it prints where both outputs are a terminal, which may tell how wide it is."""
        main, side = pty.openpty()
        termios.tcsetwinsize(side, (0, columns))
        env = {"PATH": os.environ.get("PATH", ""), **environment}
        child = subprocess.Popen([self.program, *words], cwd=self.root, env=env, stdin=subprocess.DEVNULL, stdout=side,
                                 stderr=side)
        os.close(side)
        said = b""
        while True:
            try:
                said += os.read(main, 65536)
            except OSError:  # the other end is closed
                break
        child.wait()
        os.close(main)
        return said


def numbers(line):
    """Minus one is no number of runs, and neither is what no number can hold."""
    for words in (["run", TWIN, "--runs"], ["run", TWIN, "--seed"], ["real", TWIN, "--seed"],
                  ["check", TWIN, "--seed"], ["minimize", BROKEN, "--seed"], ["minimize", BROKEN, "--states"],
                  ["explore", TWIN, "--workers"], ["explore", TWIN, "--liveness", "--runs"],
                  ["bench", "setnx-del", "--runs"]):
        for number in ("-1", "-5", TOO_LARGE, "1e3", "0x10", "", " 1", "seven"):
            done = line.run(*words, number, code=64)
            line.expect(f"'{number}' is no whole number from" in done.stderr, f"{words} {number}: {done.stderr}")
    line.run("run", TWIN, "--quiet", "--seed", 2**63 - 1, code=0)
    line.run("run", TWIN, "--quiet", "--seed", 0, code=0)


def names(line):
    for command in ("run", "explore", "minimize", "real"):
        done = line.run(command, "scenarios", code=64)
        line.expect("scenarios: this is a folder: use check" in done.stderr, f"{command} FOLDER says {done.stderr}")
    file = line.folder / "key.toml"
    for text in ('[algorithm]\nname = "redlock"\nxxxxxxxxx = 1\n',
                 '[algorithm]\nname = "redlock"\n[workload]\nxxxxxxxxx = 1\n',
                 '[algorithm]\nname = "redlock"\n[[fault]]\nkind = "pause"\ntarget = "client-1"\n'
                 'when = "client-1 enters"\nfor = "1s"\nxxxxxxxxx = 1\n'):
        file.write_text(text)
        said = line.run("run", file, code=64).stderr.strip()
        choices = said.rpartition("one of: ")[2].split(", ")
        line.expect(len(choices) > 1 and len(choices) == len(set(choices)), f"names twice: {said}")


def moved(line):
    """A command that is a program of its own says so in one sentence."""
    done = line.run("conformance", "--service", "memcached", code=64)
    said = " ".join(done.stderr.split())
    line.expect("lockproof-conformance, which is built from the source" in said, f"conformance: {said}")


def terminals(line):
    fuzz = ["run", TWIN, "--runs", "3000"]
    for words in (["run", BROKEN], fuzz, ["explore", BROKEN]):
        line.expect(b"\x1b" in line.on_terminal(*words, TERM="xterm"), f"{words}: no colours on a terminal")
        line.expect(b"\x1b" not in line.on_terminal(*words, TERM="dumb"), f"{words}: colours with TERM=dumb")
    line.expect(b"\x1b" not in line.on_terminal("run", BROKEN, TERM="xterm", NO_COLOR="1"), "colours with NO_COLOR")
    for columns, widest in ((0, 80), (50, 50), (100, 100)):
        said = line.on_terminal("run", BROKEN, TERM="dumb", columns=columns).decode()
        found = max(len(one) for one in said.splitlines() if len(one.removesuffix(" \\").split()) > 1)
        line.expect(widest - 10 <= found <= widest, f"{columns} columns: the widest line has {found}")


def progress(line):
    """A terminal is told how far it is, and nothing else is."""
    words = ["run", TWIN, "--runs", "100000000", "--workers", "1", "--time", "1600ms"]
    said = line.on_terminal(*words, TERM="xterm", columns=100).decode()
    line.expect(re.search(r"\r\d+ of 100000000 runs, \d+ a second, 2 s of at most 2 s, .* left\x1b\[K", said),
                f"no count, or no time that is left: {said[:300]!r}")
    line.expect("\r" not in line.run(*words).stderr, "progress where no terminal is")


def shells(line):
    """The line behind `reproduce:` is a command, whatever the file is called."""
    for name in ("two words.toml", "it's; $(echo a) & b.toml", "new\nline.toml", "Ünï~.toml"):
        file = line.folder / name
        file.write_text(pathlib.Path(line.root, BROKEN).read_text())
        for words in (["run", file, "--quiet"], ["run", file, "--runs", "20"], ["explore", file, "--quiet"],
                      ["explore", file, "--budget", "scenarios/budgets/one-server.toml", "--memory", "1M"],
                      ["minimize", file, "--quiet"]):
            said = line.run(*words, env=os.environ | {"COLUMNS": "50"}).stdout
            again = re.findall(r"^reproduce: lockproof ((?:.*\\\n)*.*)$", said, re.MULTILINE)
            line.expect(len(again) == 1, f"{words}: no line that reproduces it: {said}")
            if not again:
                continue
            shell = subprocess.run(["bash", "-c", f"printf '%s\\0' {again[0]}"], capture_output=True, text=True,
                                   check=False).stdout.split("\0")
            line.expect(str(file) in shell, f"a shell makes {shell} of {again[0]}")


def catalogue_names(line):
    """A scenario is called as it was typed, by its name or by its path, wherever it is to be typed again."""
    name, path = pathlib.Path(BROKEN).stem, str(pathlib.Path(line.root, BROKEN).resolve())
    folder = str(pathlib.Path(line.program).resolve().parent)
    broken = ["explore --format mermaid", "minimize --format json", "minimize --format mermaid",
              "explain --format json"]
    either = ["run", "run --runs 20", "run --format mermaid", "run --format json", "explore --format json",
              "explore --liveness --format json", "check --format markdown", "check --explore --format json"]
    for typed, commands in ((name, broken + either), (f"{name}-twin", either), (path, broken + either)):
        for verb, *options in (command.split() for command in commands):
            words = [verb, typed, *options]
            said = line.run(*words, env=os.environ | {"COLUMNS": "400"}).stdout
            line.expect(f"lockproof {words[0]} {typed}" in said or (words[0] == "check" and typed in said),
                        f"{words} does not say how it was called: {said[:300]}")
            line.expect(typed == path or (folder not in said and path not in said),
                        f"{words} says a path: {said[:300]}")
    out = line.folder / "called"
    line.run("run", name, "--out", out / "run", "--quiet")
    line.run("report", "--html", out / "run", "--out", out / "page", code=0)
    packed = re.search(r'id="data">([^<]*)<', (out / f"page/{name}.html").read_text(encoding="utf-8"))[1]
    page = zlib.decompress(base64.b64decode(packed)).decode()
    for verb in ("run", "minimize"):
        line.expect(f"lockproof {verb} {name}" in page, f"the page does not say lockproof {verb} {name}")
    line.expect(folder not in page and path not in page, "the page says a path")


def control_characters(line):
    """None of them comes through to the terminal."""
    file = line.folder / "wrong.toml"
    file.write_text('[algorithm]\nname = "\\u001b[31mred"\n')
    for words in (["run", CONTROL], ["run", CONTROL, "--runs", "20"], ["explore", CONTROL], ["check", CONTROL],
                  ["explore", CONTROL, "--liveness"], ["minimize", CONTROL], ["run", file], ["check", file],
                  ["run", "\x1b[31m.toml"], ["check", "\x1b[31m.toml"], ["run", CONTROL, "--\x1b[31m"]):
        done = line.run(*words)
        found = re.findall(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", done.stdout + done.stderr)
        line.expect(not found, f"{words} prints {set(found)}")
    said = line.run("run", CONTROL).stdout
    line.expect(r"\x1b[31mred\n</x>&]]>" in said, f"the title is {said.splitlines()[0]}")


def folders(line):
    """The second program in one --out is refused, until the first is gone, however it went."""
    out = line.folder / "out"
    first = subprocess.Popen([line.program, "run", TWIN, "--runs", "1000000000", "--out", str(out)], cwd=line.root,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lock = out / ".lockproof-lock"
    for _ in range(1000):
        if lock.exists() and lock.read_text() == str(first.pid):
            break
        time.sleep(0.01)
    for words in (["run", TWIN], ["explore", TWIN], ["check", TWIN]):
        done = line.run(*words, "--out", out, code=69)
        said = " ".join(done.stderr.split())  # its lines are as long as the numbers in it let them be
        line.expect(f"another lockproof (process {first.pid}) is writing into {out}" in said, done.stderr)
    line.run("run", TWIN, "--out", line.folder / "another", code=0)
    os.kill(first.pid, signal.SIGKILL)
    first.wait()
    line.run("run", TWIN, "--out", out, code=0)
    line.run("run", TWIN, "--out", out, code=0)


def budgets(line):
    """What cannot strike changes neither the engine nor what is left out."""
    scenario = '[algorithm]\nname = "set-px-token"\n[expect]\nall = "no-violation"\n[explore]\nmax_faults = {}\n{}'
    entries = {"client-pause": 'kind = "client-pause"\nfor = "3s"\n',
               "of one client": 'kind = "pause"\ntarget = "client-1"\nfor = "3s"\n',
               "peer": 'kind = "clock-jump"\nby = "T"\n'}
    file = line.folder / "budget.toml"

    def searched(most, entry, *more):
        file.write_text(scenario.format(most, f"[[explore.fault]]\n{entry}" if entry else ""))
        found = json.loads(line.run("explore", file, "--format", "json", *more).stdout)
        return {key: found[key] for key in ("engine", "states", "transitions", "reductions", "complete")}

    for more in ([], ["--engine", "reexecution"]):
        without = searched(0, "", *more)
        for name, entry in entries.items():
            found = searched(0, entry, *more)
            line.expect(found == without, f"{name}, which cannot strike: {found} instead of {without}")
        line.expect(searched(1, entries["of one client"], *more) != without, "a pause that can strike changes nothing")


def main():
    program, root = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        line = CommandLine(program, root, folder)
        for part in (numbers, names, moved, terminals, progress, shells, catalogue_names, control_characters,
                     folders, budgets):
            part(line)
    if line.failed:
        sys.exit("\n".join(line.failed))
    print("the command line is as it should be")


if __name__ == "__main__":
    main()
