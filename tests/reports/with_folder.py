# SPDX-License-Identifier: Apache-2.0
"""A test with a folder of its own, in which it loads histories made by hand."""

import tempfile
import unittest
from pathlib import Path

from history import load


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def history(self, story):
        path = self.folder / "history.jsonl"
        path.write_text(story.text(), encoding="utf-8")
        return load(path)
