# SPDX-License-Identifier: Apache-2.0
"""Writing files: nothing is left half-written, files appear under their names when they are complete. What is no file,
such as a FIFO, is written through and not replaced; a symbolic link stays one, and the mode of a file too. A file that
lockproof did not write is not replaced.
"""

import os
import tempfile
from pathlib import Path

from history import BadInput

_BEGIN = 2048  # bytes, in which a picture and a page name lockproof
_LOCK = ".lockproof-lock"  # in a folder that one of its commands has written


def _may_replace(file):
    if (file.parent / _LOCK).exists():
        return True
    with open(file, "rb") as there:
        begin = there.read(_BEGIN)
    return not begin or b"lockproof" in begin


def write(target, data):
    """All of it at once, under its name. Raises BadInput where another program wrote the file that is there."""
    real = Path(os.path.realpath(target))
    if real.exists() and not real.is_file():
        with open(target, "wb") as through:
            through.write(data)
        return
    if real.exists():
        if not _may_replace(real):
            raise BadInput(f"cannot write {target}: it is there, and lockproof did not write it")
        mode = real.stat().st_mode & 0o7777
    else:
        os.umask(mask := os.umask(0))
        mode = 0o666 & ~mask
    handle, temporary = tempfile.mkstemp(dir=real.parent, prefix=f".{real.stem}.", suffix=real.suffix)
    try:
        with open(handle, "wb") as file:
            file.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, real)
    except BaseException:
        os.unlink(temporary)
        raise
