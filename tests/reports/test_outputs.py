# SPDX-License-Identifier: Apache-2.0
"""Files that lockproof did not write stay as they are; its own pictures and pages are written again."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import matplotlib.pyplot as plt
from history import BadInput
from outputs import write
from pictures import save
from with_folder import WithFolder


class Outputs(WithFolder):
    def test_a_file_of_another_program_stays(self):
        for name in ("bench.png", "bench.svg"):
            with self.subTest(name=name):
                theirs = self.folder / name
                theirs.write_bytes(b"theirs")
                with self.assertRaisesRegex(BadInput, "lockproof did not write it"):
                    save(plt.figure(), self.folder / "bench")
                self.assertEqual(theirs.read_bytes(), b"theirs")
                theirs.unlink()

    def test_own_pictures_and_empty_files_are_written_again(self):
        (self.folder / "bench.svg").touch()
        for _ in range(2):
            for written in save(plt.figure(), self.folder / "bench", says="x" * 5000):
                self.assertIn(b"lockproof", written.read_bytes()[:2048])

    def test_what_is_in_a_folder_of_lockproof_is_written_again(self):
        (self.folder / ".lockproof-lock").touch()
        (self.folder / "index.html").write_bytes(b"of an older version")
        write(self.folder / "index.html", b"new")
        self.assertEqual((self.folder / "index.html").read_bytes(), b"new")


if __name__ == "__main__":
    unittest.main()
