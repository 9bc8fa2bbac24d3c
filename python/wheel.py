#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs an installed tree as a wheel: wheel.py TREE OUT.

What the tree has in lib/python3/dist-packages becomes the wheel's root, all the rest lockproof/installed. The same tree
gives the same bytes.
"""
import base64
import hashlib
import os
import platform
import sys
import zipfile
from pathlib import Path

PACKAGES = Path("lib/python3/dist-packages")
INSTALLED = Path("lockproof/installed")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the first instant that a ZIP file can name


def tag():
    """Of this machine: what is built here needs a C library as new as the one here."""
    name, version = os.confstr("CS_GNU_LIBC_VERSION").split()
    assert name == "glibc", name
    major, minor = version.split(".")[:2]
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


def files_of(tree):
    """(name in the wheel, file), in the order of names. Links are followed: a wheel has none."""
    for file in tree.rglob("*"):
        if file.is_file():
            place = file.relative_to(tree)
            packed = place.relative_to(PACKAGES) if place.is_relative_to(PACKAGES) else INSTALLED / place
            yield packed.as_posix(), file


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def add(wheel, name, data, executable=False):
    entry = zipfile.ZipInfo(name, EPOCH)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3  # Unix, whose modes follow
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    wheel.writestr(entry, data)
    return f"{name},{digest(data)},{len(data)}\n"


def pack(tree, out):
    info = next((tree / PACKAGES).glob("lockproof-*.dist-info")).name
    stem = info[: -len(".dist-info")]
    file = out / f"{stem}-{tag()}.whl"
    record = ""
    with zipfile.ZipFile(file, "w") as wheel:
        for name, source in sorted(files_of(tree)):
            record += add(wheel, name, source.read_bytes(), os.access(source, os.X_OK))
        about = f"Wheel-Version: 1.0\nGenerator: {stem}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
        record += add(wheel, f"{info}/WHEEL", about.encode())
        add(wheel, f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode())
    return file


if __name__ == "__main__":
    print(pack(Path(sys.argv[1]), Path(sys.argv[2])))
