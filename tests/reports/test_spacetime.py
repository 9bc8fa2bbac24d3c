#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the pictures show is right, asserted on the model and not on pixels; bad input leaves nothing behind."""

import contextlib
import io
import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

import draw
import faults
import folds
import keys
import made
import model
import report
import spacetime
import style
from durations import duration_text
from history import BadInput, command_text, load, load_run, reply_text
from layout import TimeAxis, lane_order, spread
from scene import Scene
from with_folder import WithFolder

MS, SECOND = 1000, 1_000_000
SAMPLE = HERE / "sample.jsonl"


def quietly(program, *arguments):
    """(exit code, standard output, standard error)"""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = program(list(map(str, arguments)))
    return code, out.getvalue(), err.getvalue()


class Model(WithFolder):
    def test_a_lock_is_called_by_its_name_or_its_file(self):
        for line, name in (('name = "redlock"', "redlock"), ('file = "own/my_lock.lua"', "my_lock.lua"),
                           ('command = ["python3", "clients/redis_py.py"]', "redis_py.py"),
                           ('command = "node a/lock.js --fast"', "lock.js"), ('command = ["my-lock"]', "my-lock")):
            history = load(SAMPLE)
            history.header["scenario_text"] = f"[algorithm]\n{line}\n"
            self.assertEqual(history.algorithm(), name)

    def test_the_sample_has_one_overlap_from_the_second_entry_to_the_first_exit(self):
        history = load(SAMPLE)
        holds = model.holds(history)
        self.assertEqual([(h.client, h.enter, h.exit) for h in holds],
                         [("client-1", 2 * MS, 13_206 * MS), ("client-2", 10_512 * MS, 15 * SECOND)])
        self.assertEqual(model.overlaps(holds, history),
                         [model.Overlap(10_512 * MS, 13_206 * MS, ("client-1", "client-2"))])

    def test_touching_holds_and_holds_of_one_client_do_not_overlap(self):
        a, b, history = model.Hold("a", 1, 0, 1000, ""), model.Hold("b", 1, 1000, 2000, ""), load(SAMPLE)
        self.assertEqual(model.overlaps([a, b], history), [])
        self.assertEqual(model.overlaps([a, model.Hold("a", 2, 500, 900, "")], history), [])
        self.assertEqual(model.overlaps([a, model.Hold("b", 1, 999, 2000, "")], history),
                         [model.Overlap(999, 1000, ("a", "b"))])

    def test_readers_and_holders_of_permits_overlap_only_with_one_too_many(self):
        names = ("client-1", "client-2", "client-3")
        holds = [model.Hold(name, 1, start, 1000, "") for start, name in enumerate(names)]
        history = load(SAMPLE)
        for event in history.events:
            if event.what == "enter":
                event.raw["word"] = "shared"
        self.assertEqual(history.readers, {"client-1", "client-2"})
        self.assertEqual([one.clients for one in model.overlaps(holds, history)],
                         [("client-1", "client-3"), ("client-2", "client-3")])
        of_permits = load(SAMPLE)
        of_permits.header["permits"] = 2
        self.assertEqual(model.overlaps(holds[:2], of_permits), [])
        self.assertEqual(model.overlaps(holds, of_permits),
                         [model.Overlap(2, 1000, ("client-1", "client-2", "client-3"))])

    def test_a_lease_ends_by_the_clients_own_clock(self):
        first, second = model.holds(load(SAMPLE))
        self.assertEqual((first.deadline, first.clock), (10 * SECOND, "mono"))
        self.assertGreater(second.deadline, second.exit)

    def test_a_key_lives_from_its_set_to_its_expiry_or_deletion(self):
        first, second = keys.key_lives(load(SAMPLE))
        # Its stamp is 10.001 s, and at the stamp itself it is still there.
        self.assertEqual((first.owner, first.start, first.end, first.ended), ("client-1", MS, 10_002 * MS, "expired"))
        self.assertEqual((second.owner, second.end, second.ended), ("client-2", 15_001 * MS, "deleted"))

    def test_a_jump_of_the_servers_clock_ends_the_key_at_the_jump(self):
        first = keys.key_lives(self.history(made.server_clock()))[0]
        self.assertEqual((first.end, first.ended), (2 * SECOND, "expired"))

    def test_a_jump_counts_whether_its_event_was_stamped_before_or_after_it(self):
        for stamped_after in (True, False):
            story = made.server_clock()
            strike = next(event for event in story.events if event["what"] == "strike")
            strike["wall"] = (62_000 if stamped_after else 2_000)
            self.assertEqual(keys.key_lives(self.history(story))[0].end, 2 * SECOND, stamped_after)

    def test_a_key_tells_who_deleted_it(self):
        story = made.Story("foreign-delete")
        story.acquire("client-1", 0)
        story.call("client-2", "redis-1", SECOND, ["DEL", "lock"], 1, [made.effect("released")])
        life, = keys.key_lives(self.history(story))
        self.assertEqual((life.owner, life.ended, life.ended_by), ("client-1", "deleted", "client-2"))

    def test_one_command_to_several_servers_is_one_group(self):
        def message(server, sent, received, text="SET"):
            return model.Message("a", server, 1, text, sent=sent, received=received)

        asked = [message("r1", 0, 5), message("r2", 1, 6), message("r1", 9, 12), message("r2", 9, 12, "GET")]
        self.assertEqual([len(group) for group in model.gathers(asked)], [2, 1, 1])

    def test_a_write_from_an_old_version_is_a_lost_update(self):
        writes = [a for a in model.accesses(load(SAMPLE)) if a.write]
        self.assertEqual([(a.client, a.base, a.version, a.lost_update) for a in writes],
                         [("client-2", 0, 1, False), ("client-1", 0, 2, True)])

    def test_a_crash_ends_a_hold_and_a_pause_has_its_length(self):
        hold = model.holds(self.history(made.crash()))[0]
        self.assertEqual((hold.client, hold.ended, hold.exit), ("client-1", "crash", 2_004 * MS))
        pause = faults.faults(load(SAMPLE))[0]
        self.assertEqual((pause.host, pause.kind, pause.end - pause.start), ("client-1", "pause", 12 * SECOND))

    def test_of_many_tries_only_the_first_and_the_last_are_drawn_in_full(self):
        history = self.history(made.polling_hard())
        messages = model.messages(history)
        stretch, = folds.fold_attempts(history, messages)
        self.assertEqual(stretch.count, sum(m.folded for m in messages))
        self.assertGreater(stretch.count, 150)
        full = [m for m in messages if m.client == "client-2" and m.text.startswith("SET") and not m.folded]
        self.assertEqual([m.reply for m in full], ["nil", "nil", "OK"])

    def test_a_lost_reply_is_told_from_one_that_came(self):
        first = model.messages(self.history(made.lost_reply()))[0]
        self.assertEqual((first.dropped, first.received, first.timed_out), ((MS, "reply"), None, 2 * SECOND))

    def test_words_are_short(self):
        eval_words = ["EVAL", {"script": "compare-and-delete"}, "1", "lock", {"token": "c1.1"}]
        self.assertEqual(command_text(eval_words), "compare-and-delete lock c1.1")
        replies = (None, {"nil": True}, 3, {"status": "OK"}, {"bulk": {"token": "t"}}, [1, 2])
        self.assertEqual([reply_text(reply) for reply in replies], ["nil", "nil", "3", "OK", "t", "[1, 2]"])
        self.assertEqual([duration_text(us) for us in (90, 250_000, 3_184_000, 12_000_000, 120_000_000)],
                         ["90 µs", "250 ms", "3.18 s", "12 s", "120 s"])


class Layout(unittest.TestCase):
    def test_time_never_runs_backwards_and_each_need_has_its_room(self):
        axis = TimeAxis([0, 1, 2, 1000, 10_000_000], [(1, 2, 30.0), (0, 1000, 50.0)], top=10, height=300)
        self.assertEqual(axis.y, sorted(axis.y))
        self.assertGreaterEqual(axis(2) - axis(1), 30)
        self.assertGreaterEqual(axis(1000) - axis(0), 50)
        self.assertAlmostEqual(axis(10_000_000), 310, places=3)
        self.assertLess(axis(500), axis(600))

    def test_an_axis_grows_where_the_height_does_not_do(self):
        axis = TimeAxis(range(0, 100_000, 1000), [], top=0, height=50)
        self.assertGreater(axis.height, 200)
        self.assertAlmostEqual(axis.y[-1], axis.least_height, places=3)

    def test_words_are_spread_in_order_and_near_to_where_they_belong(self):
        places = spread([10.0, 10.0, 11.0, 50.0], 9.0, 0.0, 100.0)
        self.assertTrue(all(b - a >= 9.0 - 1e-9 for a, b in zip(places, places[1:])), places)
        self.assertEqual(places[3], 50.0)
        self.assertGreaterEqual(min(spread([0.0, 1.0], 9.0, 5.0, 100.0)), 5.0)

    def test_servers_stand_between_the_clients(self):
        self.assertEqual(lane_order(load(SAMPLE)), ["client-1", "redis-1", "resource", "client-2"])


class Drawings(WithFolder):
    def test_each_story_becomes_a_png_and_an_svg(self):
        for name, make in made.STORIES.items():
            with self.subTest(name):
                source = self.folder / f"{name}.jsonl"
                source.write_text(make().text(), encoding="utf-8")
                code, out, err = quietly(spacetime.main, source, "-o", self.folder / name)
                self.assertEqual((code, err), (0, ""))
                self.assertEqual(out.split(), [str(self.folder / f"{name}.{kind}") for kind in ("png", "svg")])
                self.assertTrue((self.folder / f"{name}.png").read_bytes().startswith(b"\x89PNG"))
                self.assertIn("<svg", (self.folder / f"{name}.svg").read_text(encoding="utf-8"))

    def test_a_server_that_is_down_is_drawn_and_its_key_is_not(self):
        source = self.folder / "power-cut.jsonl"
        source.write_text(made.power_cut().text(), encoding="utf-8")
        figure = spacetime.page([load_run(source)])
        drawn, boxes = figure.axes[0].texts, figure.axes[0].patches
        words = [text.get_text() for text in drawn]
        self.assertIn("loses power,\ndown for 3 s", words)
        self.assertIn("lock lost", words)
        self.assertIn("is up again", words)
        down, = (box for box in boxes if to_hex(box.get_facecolor()).upper() == style.DOWN_FILL)
        top, bottom = down.get_y(), down.get_y() + down.get_height()
        narrow = [box for box in boxes if isinstance(box, Rectangle) and box.get_width() == draw.KEY_BAR]
        self.assertEqual(len(narrow), 4, "two keys, of two boxes each")
        for bar in narrow:
            self.assertTrue(bar.get_y() + bar.get_height() <= top + 1e-6 or bar.get_y() >= bottom - 1e-6)
        self.assertIn("server down", [text.get_text() for text in figure.axes[0].get_legend().get_texts()])
        spacetime.plt.close(figure)

    def test_the_same_run_gives_the_same_bytes(self):
        for name in ("one", "two"):
            quietly(spacetime.main, SAMPLE, "-o", self.folder / name)
        for kind in ("png", "svg"):
            one, two = ((self.folder / f"{name}.{kind}").read_bytes() for name in ("one", "two"))
            self.assertEqual(one, two, kind)

    def test_a_long_history_is_shown_around_what_broke(self):
        story = made.lease_outlived()
        for i in range(200):
            story.read("client-2", 20 * SECOND + i * SECOND)
        scene = Scene(load_run(self.write_run("long", story)))
        self.assertFalse(scene.whole)
        self.assertTrue(scene.shows(scene.overlaps[0].start))
        self.assertLessEqual(len([m for m in scene.shown_messages() if not m.folded]), 100)

    def write_run(self, name, story, verdict=None):
        folder = self.folder / name
        folder.mkdir()
        (folder / "history.jsonl").write_text(story.text(), encoding="utf-8")
        if verdict:
            (folder / "verdict.json").write_text(json.dumps(verdict), encoding="utf-8")
        return folder

    def test_two_runs_of_one_scenario_are_compared_and_summed_up(self):
        broken = {"property": "mutual-exclusion", "verdict": "violated", "kind": "outlived", "what": ""}
        simulated = self.write_run("simulated", made.lease_outlived(), {"properties": [broken]})
        other = made.lease_outlived()
        other.header["world"] = "real"
        real = self.write_run("real", other)
        code, out, err = quietly(report.main, simulated, real, "-o", self.folder / "pictures")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(sorted(path.name for path in (self.folder / "pictures").glob("*.png")),
                         ["lease-outlived-compared.png", "lease-outlived-real.png", "lease-outlived-simulated.png"])
        self.assertIn("simulated: two clients were inside at once for 2.69 s; 1 update lost; "
                      "mutual-exclusion violated (outlived)", out)


class BadFiles(WithFolder):
    def refused(self, text, expected):
        source = self.folder / "bad.jsonl"
        if text is not None:
            source.write_text(text, encoding="utf-8")
        for program in (spacetime.main, report.main):
            code, out, err = quietly(program, source, "-o", self.folder / "out")
            self.assertEqual((code, out), (65, ""))
            self.assertIn(expected, err)
            self.assertEqual(err.count("\n"), 1, err)
        left = {path.name for path in self.folder.iterdir()}
        self.assertLessEqual(left, {"bad.jsonl"}, "something was written")

    def test_each_kind_of_bad_input_is_named_and_nothing_is_written(self):
        header, first = SAMPLE.read_text(encoding="utf-8").splitlines()[:2]
        self.refused(None, "No such file")
        self.refused("", "empty")
        self.refused("{}\n", "line 1: this is no lockproof history")
        self.refused(header.replace('"lockproof_history": 2', '"lockproof_history": 7'), "history version 7")
        self.refused(f"{header}\n{first}\n{{\n", "line 3: this is no JSON")
        stranger = '{"what": "enter", "host": "client-9", "at": 1}'
        self.refused(f"{header}\n{stranger}\n", "line 2: no host is named 'client-9'")
        self.refused(f'{header}\n{{"what": "enter", "host": "client-1"}}\n', "line 2: the event does not say when")
        self.refused(f'{header}\n[1]\n', "line 2: expected a JSON object")

    def test_a_verdict_that_cannot_be_read_is_no_picture_without_verdict(self):
        (self.folder / "history.jsonl").write_text(SAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
        (self.folder / "verdict.json").write_text("{", encoding="utf-8")
        with self.assertRaises(BadInput):
            load_run(self.folder)


if __name__ == "__main__":
    unittest.main()
