# SPDX-License-Identifier: Apache-2.0
"""Colours, hatches and sizes of all pictures, in one place.

The client colours are those of Okabe and Ito, which people with any colour vision can tell apart; each goes with a
hatch, so that a black and white print says the same. Red means one thing only: what must not happen.
"""

import matplotlib

matplotlib.use("Agg")

CLIENTS = (  # (colour, hatch), by position among the clients
    ("#0072B2", ""),
    ("#E69F00", "////"),
    ("#009E73", "...."),
    ("#CC79A7", "xxxx"),
    ("#56B4E9", "----"),
    ("#8C6D31", "\\\\\\\\"),
)
VIOLATION = "#C1121F"
VIOLATION_FILL = "#F8D7DA"
FAULT = "#6A4C93"
FAULT_FILL = "#E4DCEF"
DOWN_FILL = "#D3D3D6"
INK = "#1A1A1A"
SOFT = "#6B6B6B"
FAINT = "#B8B8B8"
LANE = "#9A9A9A"
GOOD = "#2B6E3F"

PAGE = (842.0, 595.0)  # A4 landscape, in points
TITLE, SUBTITLE, LABEL, SMALL = 14.0, 9.0, 7.6, 6.8

RC = {
    "font.family": "DejaVu Sans",
    "hatch.linewidth": 0.7,
    "svg.fonttype": "path",  # looks the same where the font is missing
    "svg.hashsalt": "lockproof",  # the same run gives the same bytes
    "path.simplify": False,
}


def client_style(history, name):
    """(colour, hatch) of a client; servers and resources have the colour of ink."""
    clients = [host for host in history.hosts if history.kind(host) == "client"]
    return CLIENTS[clients.index(name) % len(CLIENTS)] if name in clients else (INK, "")
