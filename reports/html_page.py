# SPDX-License-Identifier: Apache-2.0
"""Puts a page together: one file with its script, its style and its data, which fetches nothing from anywhere.

The data are JSON, compressed; the script sets them as texts, so that no name or value of a run can become markup, and
the page's own security policy allows no script and no style but these.
"""

import base64
import hashlib
import html
import json
import re
import zlib
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "page"
OPEN = re.compile(r"\{(script-hash|style-hash|version|title|about|style|up|plain|data|script|body)\}")


def page(data, up=""):
    """The text of the page for what page_data says; `up` is a link, as (address, words)."""
    script, style = source("elements.js") + source("diagram.js") + source("page.js"), source("page.css")
    link = f'<a href="{html.escape(up[0])}">{html.escape(up[1])}</a>' if up else ""
    return filled("page.html", {
        "script-hash": digest(script), "style-hash": digest(style), "script": script, "style": style, "up": link,
        "title": html.escape(data["title"]), "version": html.escape(data["version"]), "plain": plain(data),
        "data": packed(data)})


def walk_page(data):
    """The text of the page for what walk_data says."""
    script, style = source("elements.js") + source("walk.js"), source("page.css") + source("walk.css")
    broken = "".join(f"<li>{html.escape(name)}</li>" for name in data["properties"])
    return filled("walk.html", {
        "script-hash": digest(script), "style-hash": digest(style), "script": script, "style": style,
        "title": html.escape(data["title"]), "version": html.escape(data["version"]), "data": packed(data),
        "plain": f"<p>This page needs a browser that runs its script.</p><ul>{broken}</ul>"})


def filled(template, words):
    """A template with its gaps filled, each once: what is filled in is not looked at again."""
    return OPEN.sub(lambda match: words[match.group(1)], source(template))


def source(name):
    return (SOURCE / name).read_text(encoding="utf-8")


def digest(text):
    """As a security policy names a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def packed(data):
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"), 9)).decode()


def plain(data):
    """For a browser without a script: what came out, if the page is not to ask about it."""
    said = [f"<li>{html.escape(one['name'])}: {html.escape(one['verdict'])}. {html.escape(one.get('what', ''))}</li>"
            for one in data["runs"][0]["verdicts"] if one["judged"] and not data["asks_first"]]
    return f"<p>The diagram is drawn by a script, which this browser does not run.</p><ul>{''.join(said)}</ul>"
