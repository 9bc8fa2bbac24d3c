#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No link of the pages is dead, and no page is too long: links.py ROOT.

ROOT is the repository, or share/doc/lockproof of an installed tree. A link leads to a file or folder that is there, and
its anchor to a heading.
"""

import re
import sys
from pathlib import Path

MOST_WORDS = (  # the first that fits counts
    (r"README\.md", 900),
    (r"docs/guide/\d\d-[\w-]+\.md", 1200),
    (r"docs/decisions/\d\d-[\w-]+\.md", 300),
    (r"docs/performance\.md", 1500),
)
NUMBERED = r"docs/(guide|decisions)/(\d\d)-"
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


def pages_of(root):
    names = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
    return [*(root / name for name in names if (root / name).exists()), *sorted((root / "docs").rglob("*.md"))]


def without_code(text):
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """Those of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", without_code(text), re.MULTILINE)}


def dead_links(page, text):
    for target, anchor in LINK.findall(without_code(text)):
        if re.match(r"[a-z]+:", target):
            continue
        other = page.parent / target if target else page
        if not other.exists():
            yield f"there is no {target}"
        elif anchor and (other.suffix != ".md" or anchor not in anchors(other.read_text(encoding="utf-8"))):
            yield f"{target}#{anchor} leads nowhere"


def too_long(name, text):
    for pattern, most in MOST_WORDS:
        words = len(text.split())
        if re.fullmatch(pattern, name) and words > most:
            yield f"has {words} words; {most} are allowed"


def wrongly_numbered(name, text):
    """Chapters and decisions have one numbering: that of their files."""
    found = re.match(NUMBERED, name)
    if found and not text.startswith(f"# {int(found[2])}. "):
        yield f"its title does not begin with '{int(found[2])}. '"


def findings(root):
    pages = pages_of(root)
    found = [] if pages else [f"{root} has no page"]
    for page in pages:
        name, text = str(page.relative_to(root)), page.read_text(encoding="utf-8")
        for what in (*dead_links(page, text), *too_long(name, text), *wrongly_numbered(name, text)):
            found.append(f"{name}: {what}")
    for folder in ("guide", "decisions"):
        numbers = [int(page.name[:2]) for page in pages if re.match(NUMBERED, str(page.relative_to(root)))
                   and page.parent.name == folder]
        if numbers != list(range(1, len(numbers) + 1)):
            found.append(f"docs/{folder}: the numbers are {numbers}")
    return found


def main():
    found = findings(Path(sys.argv[1]).resolve())
    for finding in found:
        print(finding)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
