# SPDX-License-Identifier: Apache-2.0
"""Writing a figure: nothing is left half-written, files appear under their names when they are complete. What is no
file, such as a FIFO, is written through and not replaced; a symbolic link stays one, and the mode of a file too.
"""

import io
import os
import tempfile
from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from PIL import Image


def write(target, data):
    """All of it at once, under its name."""
    real = Path(os.path.realpath(target))
    if real.exists() and not real.is_file():
        with open(target, "wb") as through:
            through.write(data)
        return
    if real.exists():
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


def save(figure, base, says=""):
    """Writes BASE.png and BASE.svg, each at once; returns their paths. What the picture says goes with the PNG."""
    base = Path(base)
    base.parent.mkdir(parents=True, exist_ok=True)
    written = []
    with plt.rc_context(style.RC):
        for kind in ("png", "svg"):
            target = base.parent / f"{base.name}.{kind}"
            drawn = io.BytesIO()
            metadata = {"Date": None} if kind == "svg" else {"Software": None, "Description": says or None}
            figure.savefig(drawn, format=kind, dpi=160, metadata=metadata)
            write(target, drawn.getvalue())
            written.append(target)
    plt.close(figure)
    return written


def said(path):
    """What a PNG says of itself, or nothing."""
    with Image.open(path) as image:
        return getattr(image, "text", {}).get("Description", "")
