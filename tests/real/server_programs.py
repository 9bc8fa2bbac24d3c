#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""server_programs.py LOCKPROOF FOLDER: another build of a server's program is started where --server names it,
and what is none is refused with its reason."""

import shutil
import subprocess
import sys
import unittest
from pathlib import Path

LOCKPROOF, FOLDER = sys.argv[1], Path(sys.argv[2])
ROOT = Path(__file__).resolve().parents[2]
SCENARIO = str(ROOT / "scenarios/documented/leases/lease-outlived.toml")


def run(*arguments, of=LOCKPROOF):
    return subprocess.run([of, *arguments], capture_output=True, text=True, timeout=120, cwd=ROOT)


def program(name, text, mode=0o755):
    path = FOLDER / name
    path.write_text(text)
    path.chmod(mode)
    return str(path)


class ServerPrograms(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(FOLDER, ignore_errors=True)
        FOLDER.mkdir(parents=True)
        cls.started = FOLDER / "started"
        cls.wrapper = program(
            "a wrapper", f'#!/bin/sh\necho "$1" >> "{cls.started}"\nexec {shutil.which("redis-server")} "$@"\n')

    def setUp(self):
        self.started.unlink(missing_ok=True)

    def starts(self):
        """How often the wrapper was run as a server, and not only asked for its version."""
        return self.started.read_text().split().count("--port") if self.started.exists() else 0

    def test_it_is_started_in_a_real_run(self):
        done = run("real", SCENARIO, "--server", f"redis={self.wrapper}", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn(f"--server: {self.wrapper} is Redis", done.stderr)
        self.assertIn(f"--server redis='{self.wrapper}'", done.stdout, "the line that reproduces it")
        self.assertGreaterEqual(self.starts(), 1)

    def test_it_is_started_where_a_trace_is_replayed(self):
        done = run("replay", SCENARIO, "--server", f"redis={self.wrapper}", "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertIn("confirmed on redis-server", done.stdout)
        self.assertGreaterEqual(self.starts(), 1)

    def test_it_is_started_where_the_model_is_compared_with_it(self):
        done = run("redis-nodes", "--commands", "200", "--server", self.wrapper, of=f"{LOCKPROOF}-conformance")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertGreaterEqual(self.starts(), 2)

    def test_it_is_started_by_check(self):
        done = run("check", SCENARIO, "--real", "--server", f"redis={self.wrapper}")
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertGreaterEqual(self.starts(), 1)

    def test_what_is_none_is_refused(self):
        other = program("other", "#!/bin/sh\necho this is a teapot\n")
        silent = program("silent", "#!/bin/sh\nexit 0\n")
        plain = program("plain", "no program\n", 0o644)
        for path, why in ((other, "is no redis-server: asked for its version it says 'this is a teapot'"),
                          (silent, "it says nothing of its version"), (plain, "Permission denied"),
                          (str(FOLDER), "is no file"), (str(FOLDER / "missing"), "No such file")):
            with self.subTest(path=path):
                done = run("real", SCENARIO, "--server", f"redis={path}")
                self.assertEqual(done.returncode, 69, done.stderr)
                self.assertTrue(done.stderr.startswith("lockproof: --server: "), done.stderr)
                self.assertIn(why, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_servers_that_are_there_already_have_no_program(self):
        done = run("real", SCENARIO, "--redis", "127.0.0.1:1", "--server", f"redis={self.wrapper}")
        self.assertEqual(done.returncode, 64, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
