#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The wheel: made twice with the same bytes, installed into a virtual environment without an index, and used there.

wheel.py CMAKE BUILD_FOLDER. Needs Debian's python3-venv, python3-pytest and python3-redis.
"""
import base64
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from plugin import EXAMPLES, ROOT, SKIPPED, check_examples

CMAKE, BUILD = sys.argv[1:3]


def call(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{words} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def make(folder):
    """As ./dev wheel makes it, in a folder of its own."""
    folder.mkdir()
    call(CMAKE, "--install", BUILD, "--prefix", folder / "tree", "--strip")
    return Path(call("/usr/bin/python3", "-B", ROOT / "python/wheel.py", folder / "tree", folder).strip())


def check_files(file):
    version = re.search(r'program_version = "(.*?)"', (ROOT / "harness/version.hpp").read_text(encoding="utf-8"))[1]
    assert re.fullmatch(rf"lockproof-{re.escape(version)}-py3-none-manylinux_2_\d+_\w+\.whl", file.name), file.name
    with zipfile.ZipFile(file) as wheel:
        info = f"lockproof-{version}.dist-info"
        recorded = {}
        for line in wheel.read(f"{info}/RECORD").decode().splitlines():
            name, digest, size = line.rsplit(",", 2)
            recorded[name] = (digest, size)
        assert set(recorded) == set(wheel.namelist()), set(recorded) ^ set(wheel.namelist())
        for name, (digest, size) in recorded.items():
            if name == f"{info}/RECORD":
                continue
            data = wheel.read(name)
            made = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            assert (digest, size) == (f"sha256={made}", str(len(data))), name
        assert f"\nVersion: {version}\n" in wheel.read(f"{info}/METADATA").decode()
        tag = file.name[len(f"lockproof-{version}-"):-len(".whl")]
        assert f"\nTag: {tag}\n" in wheel.read(f"{info}/WHEEL").decode()


def check_types(python):
    """A test that uses the plug-in is checked by the wheel's types, if mypy is here."""
    if not shutil.which("mypy"):
        return print("no mypy: types were not checked")
    scratch = python.parents[2]
    right = ("from lockproof.plugin import Lockproof\n\ndef test(lockproof: Lockproof) -> None:\n"
             "    lockproof.explore(client='a.py').holds('answers')\n")
    (scratch / "right.py").write_text(right, encoding="utf-8")
    (scratch / "wrong.py").write_text(right.replace("client='a.py'", "leese='1s'"), encoding="utf-8")
    words = ["mypy", "--strict", "--python-executable", str(python), f"--cache-dir={scratch / 'types'}"]
    call(*words, scratch / "right.py", cwd=scratch)
    done = subprocess.run([*words, "wrong.py"], cwd=scratch, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "leese" in done.stdout, done.stdout + done.stderr
    return None


def main():
    for module in ("ensurepip", "pytest", "redis"):
        if subprocess.run(["/usr/bin/python3", "-c", f"import {module}"], check=False, capture_output=True).returncode:
            print(f"skipped: Debian's Python has no {module}")
            sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        file, again = make(scratch / "first"), make(scratch / "second")
        assert file.read_bytes() == again.read_bytes(), "the same tree makes other bytes"
        check_files(file)
        call("/usr/bin/python3", "-m", "venv", "--system-site-packages", scratch / "venv")
        binaries = scratch / "venv/bin"
        call(binaries / "pip", "install", "--no-index", "--no-cache-dir", file)
        environment = {"PATH": f"{binaries}:/usr/bin:/bin", "HOME": str(scratch), "NO_COLOR": "1"}
        version = call(binaries / "lockproof", "--version", env=environment)
        assert call(binaries / "python", "-m", "lockproof", "--version", env=environment) == version
        found = subprocess.run([binaries / "lockproof", "explore", "my_lock.toml", "--quiet"], check=False,
                               cwd=EXAMPLES, env=environment, capture_output=True, text=True)
        assert found.returncode == 1 and "violated (double-grant)" in found.stdout, found.stdout + found.stderr
        (scratch / "tests").mkdir()
        check_examples(binaries / "python", scratch / "tests", {**environment, "PATH": "/usr/bin:/bin"})
        check_types(binaries / "python")
        call(binaries / "pip", "uninstall", "--yes", "lockproof")
        assert not list((scratch / "venv/lib").rglob("lockproof*")), "something of it stays"
    print("the wheel installs, runs, and goes away again")


if __name__ == "__main__":
    main()
