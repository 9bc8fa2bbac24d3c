#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What --format mermaid writes, drawn by Mermaid in headless Chromium: mermaid_in_browser.py LOCKPROOF SOURCE [--shots
FOLDER].

Needs Debian's chromium, chromium-driver, python3-selenium and npm, which fetches Mermaid; skipped without them. Names
are hostile: Mermaid reads its own language, HTML and settings in them, if it is let to.
"""

import html
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
from pathlib import Path

MERMAID = "mermaid@11.4.1"
SKIPPED = 77
HOSTILE = """a;b#c"<x>&amp;$$x$$ %%{init: {"theme":"dark"}}%% `end` \\\\n <img src=x onerror=document.title=1>"""
SCENARIO = "scenarios/documented/leases/lease-outlived.toml"
ON_SERVERS = "scenarios/documented/replication/failover-lost-lock.toml"
DRAW = """
const [text, done] = arguments;
mermaid.initialize({startOnLoad: false});
mermaid.render("drawn", text).then(
  ({svg}) => {
    document.body.innerHTML = svg;
    const all = selector => [...document.querySelectorAll(selector)].map(one => one.textContent);
    done({actors: all("text.actor > tspan"), messages: all(".messageText"), notes: all(".noteText"),
          violations: all(".noteText").filter(one => one.startsWith("\\u2717")).length,
          foreign: document.querySelectorAll("body img, body script, body x").length, title: document.title,
          dark: getComputedStyle(document.querySelector("rect.actor")).fill});
  },
  error => done({error: String(error)}));
"""

try:
    from in_browser import WithBrowser
except ImportError as missing:
    sys.exit(print(f"skipped: {missing}") or SKIPPED)


def fetch(folder):
    """Mermaid's one file for a page, or nothing."""
    if not shutil.which("npm"):
        return None
    done = subprocess.run(["npm", "pack", "--silent", MERMAID], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False)
    archives = list(folder.glob("mermaid-*.tgz"))
    if done.returncode != 0 or not archives:
        return None
    with tarfile.open(archives[0]) as archive:
        (folder / "mermaid.js").write_bytes(archive.extractfile("package/dist/mermaid.min.js").read())
    return folder / "mermaid.js"


def unescaped(text):
    """A text of the diagram as a reader sees it."""
    return html.unescape(re.sub(r"#(\d+);", r"&#\1;", text.replace("<br/>", "")))


class Drawn(WithBrowser):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        page = cls.folder / "page.html"
        script = fetch(cls.folder)
        if script is None:
            print("skipped: npm cannot fetch Mermaid")
            sys.exit(SKIPPED)
        page.write_text(f'<!doctype html><meta charset="utf-8"><title>drawn</title><script src="{script}"></script>',
                        encoding="utf-8")
        cls.page = f"file://{page}"

    def diagram(self, verb, scenario, codes=(0, 1, 2)):
        done = subprocess.run([self.program, verb, str(scenario), "--format", "mermaid"], cwd=self.source,
                              capture_output=True, text=True, timeout=100, check=False)
        self.assertIn(done.returncode, codes, done.stderr)
        self.assertTrue(done.stdout.startswith("sequenceDiagram\n"), done.stdout[:200])
        return done.stdout

    def draw(self, text, name):
        """What a reader sees is what the diagram says, text by text."""
        self.driver.get(self.page)
        seen = self.driver.execute_async_script(DRAW, text)
        self.assertNotIn("error", seen, f"{seen.get('error')}\n{text}")
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            self.driver.save_screenshot(str(self.shots / f"{name}.png"))
        for kind, pattern in (("messages", r"^  \w+-[->x)]*\w+: (.*)$"), ("actors", r"^  participant \w+ as (.*)$")):
            said = [unescaped(one) for one in re.findall(pattern, text, re.MULTILINE)]
            if kind == "actors":  # each above and below, the last one first
                said = 2 * said[::-1]
            self.assertEqual(squeezed(seen[kind]), squeezed(said), kind)
        notes = [unescaped(one) for one in re.findall(r"^  Note over [\w,]+: (.*)$", text, re.MULTILINE)]
        self.assertEqual(squeezed(["".join(seen["notes"])]), squeezed(["".join(notes)]), "notes")
        self.assertEqual(seen["foreign"], 0, "a name became an element")
        self.assertEqual(seen["title"], "drawn", "a name was run")
        return seen

    def test_each_verb(self):
        for verb, scenario in (("run", SCENARIO), ("explore", SCENARIO), ("minimize", SCENARIO), ("run", ON_SERVERS)):
            with self.subTest(verb=verb, scenario=scenario):
                seen = self.draw(self.diagram(verb, scenario), f"{verb}-{Path(scenario).stem}")
                self.assertGreater(seen["violations"], 0, "no note says what is violated")

    def test_hostile_names(self):
        plain = self.draw(self.diagram("run", SCENARIO), "plain")["dark"]
        text = (self.source / SCENARIO).read_text(encoding="utf-8")
        file = self.folder / """%%{init: {"theme":"dark"}}%%;a#b"<x>.toml"""
        file.write_text(f"lock = '''{HOSTILE}'''\n{text}", encoding="utf-8")
        for verb in ("run", "explore", "minimize"):
            with self.subTest(verb=verb):
                seen = self.draw(self.diagram(verb, file), f"hostile-{verb}")
                self.assertTrue(any(squeezed([HOSTILE])[0] in one for one in squeezed(seen["messages"])),
                                seen["messages"][:3])
                self.assertEqual(seen["dark"], plain, "a name changed the settings")


def squeezed(texts):
    """Mermaid breaks lines and drops spaces at the ends; what is not white stays."""
    return ["".join(text.split()) for text in texts]


def main():
    Drawn.program, Drawn.source = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    del sys.argv[1:3]
    if "--shots" in sys.argv:
        place = sys.argv.index("--shots")
        Drawn.shots = Path(sys.argv[place + 1])
        del sys.argv[place : place + 2]
    unittest.main(module="__main__")


if __name__ == "__main__":
    main()
