# SPDX-License-Identifier: Apache-2.0
"""Writing a figure, as PNG and SVG."""

import io
from pathlib import Path

import style  # first: it chooses the backend
import matplotlib.pyplot as plt
from PIL import Image

from history import BadInput
from outputs import write


def save(figure, base, says=""):
    """Writes BASE.png and BASE.svg, each at once; returns their paths. What the picture says goes with the PNG."""
    base = Path(base)
    try:
        base.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadInput(f"{base.parent} is no folder, and cannot be made: {problem.strerror}") from problem
    written = []
    with plt.rc_context(style.RC):
        for kind in ("png", "svg"):
            target = base.parent / f"{base.name}.{kind}"
            drawn = io.BytesIO()
            if kind == "svg":
                metadata = {"Date": None, "Creator": "lockproof"}
            else:
                metadata = {"Software": "lockproof", "Description": says or None}
            figure.savefig(drawn, format=kind, dpi=160, metadata=metadata)
            write(target, drawn.getvalue())
            written.append(target)
    plt.close(figure)
    return written


def said(path):
    """What a PNG says of itself, or nothing."""
    with Image.open(path) as image:
        return getattr(image, "text", {}).get("Description", "")
