#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What servers hold, when they are down, by which clock a lease ends, what repeats itself: asserted on the model."""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "reports")]

import faults
import folds
import keys
import made
import model
import spacetime
from clocks import HostClocks
from history import BadInput, load_run
from made import MS, SECOND
from scene import Scene
from with_folder import WithFolder

LOST = [made.effect("evicted")]


def struck(kind, at=2 * SECOND, lasts=3 * SECOND, heals=True, effects=LOST, scenario=""):
    """A client takes the lock, and then a fault strikes its server."""
    story = made.Story(kind)
    story.header["scenario_text"] += scenario
    story.acquire("client-1", 0)
    story.add("strike", "redis-1", at, fault=1, word=kind, **({"value": lasts} if lasts else {}),
              **({"effects": effects} if effects else {}))
    if heals:
        story.add("heal", "redis-1", at + lasts, fault=1, word=kind)
    story.add("finished", "client-2", 8 * SECOND)
    return story


class Bars(WithFolder):
    def life(self, story):
        life, = keys.key_lives(self.history(story))
        return life.end, life.ended

    def test_what_takes_the_key_away_ends_its_bar(self):
        evicted = [made.effect("evicted")]
        deleted = [made.effect("released")]
        for kind, effects, ended in (("flush", LOST, "flushed"), ("flush", deleted, "flushed"),
                                     ("evict", evicted, "evicted"), ("restart", LOST, "lost"),
                                     ("power-cut", LOST, "lost")):
            self.assertEqual(self.life(struck(kind, effects=effects)), (2 * SECOND, ended), kind)

    def test_a_fault_that_takes_another_key_away_leaves_the_bar(self):
        story = struck("flush", effects=[made.effect("evicted", key="lock:fence")])
        self.assertEqual(self.life(story), (8 * SECOND, ""))

    def test_a_real_server_that_keeps_nothing_on_disk_has_lost_the_key_without_a_word(self):
        self.assertEqual(self.life(struck("restart", effects=[])), (2 * SECOND, "lost"))
        kept = '[[server]]\nname = "redis-1"\npersistence = "aof-always"\n'
        self.assertEqual(self.life(struck("restart", effects=[], scenario=kept)), (8 * SECOND, ""))

    def test_a_server_that_is_down_holds_nothing_and_what_it_kept_is_there_again(self):
        kept = '[[server]]\nname = "redis-1"\npersistence = "aof-always"\n'
        history = self.history(struck("restart", effects=[], scenario=kept))
        downs = keys.downtimes(history)
        self.assertEqual(downs, [keys.Downtime("redis-1", 2 * SECOND, 5 * SECOND)])
        life, = keys.key_lives(history)
        self.assertEqual(keys.reachable(life, downs), [(MS, 2 * SECOND), (5 * SECOND, 8 * SECOND)])
        self.assertEqual(keys.reachable(life, []), [(MS, 8 * SECOND)])
        self.assertEqual(keys.reachable(life, [keys.Downtime("redis-2", 0, 9 * SECOND)]), [(MS, 8 * SECOND)])

    def test_a_master_that_is_replaced_as_dead_is_down_for_good(self):
        fault = '[[fault]]\nkind = "failover"\ntarget = "redis-1"\nto = "redis-2"\n'
        for old, expected in (("", [keys.Downtime("redis-1", 2 * SECOND, 8 * SECOND)]), ('old = "dead"\n', None),
                              ('old = "serves"\n', [])):
            history = self.history(struck("failover", lasts=0, heals=False, effects=[], scenario=fault + old))
            self.assertEqual(keys.downtimes(history), expected if expected is not None else
                             [keys.Downtime("redis-1", 2 * SECOND, 8 * SECOND)], old)
        by_sentinel = struck("failover", lasts=0, heals=False, effects=[])
        by_sentinel.events = [{k: v for k, v in event.items() if k != "fault"} for event in by_sentinel.events]
        self.assertEqual(keys.downtimes(self.history(by_sentinel)), [], "a sentinel kills nobody")

    def test_a_power_cut_that_nobody_ends_lasts_to_the_end(self):
        history = self.history(struck("power-cut", lasts=60 * SECOND, heals=False))
        self.assertEqual(keys.downtimes(history), [keys.Downtime("redis-1", 2 * SECOND, 8 * SECOND)])

    def test_a_replicas_key_is_of_whose_it_is_at_its_master(self):
        story = made.Story("replicated")
        story.header["hosts"].append({"name": "redis-2", "kind": "server"})
        story.acquire("client-1", 0)
        effects = [made.effect("acquired"), made.effect("renewed", ttl_ms=10_000)]
        story.add("replicate", "redis-2", 2 * MS, peer="redis-1", command=["SET", "lock", "c1.1"], effects=effects)
        story.add("copy", "redis-1", SECOND, peer="redis-2")
        story.add("replicate", "redis-2", SECOND + MS, peer="redis-1", command=["FULLRESYNC"], effects=LOST)
        at_replica = next(life for life in keys.key_lives(self.history(story)) if life.server == "redis-2")
        self.assertEqual((at_replica.owner, at_replica.end, at_replica.ended), ("client-1", SECOND + MS, "lost"))

    def test_a_hash_is_a_key_and_a_counter_beside_the_lock_is_not_the_lock(self):
        story = made.Story("redisson")
        effects = [made.effect("changed", key="lock:fence"), made.effect("changed"),
                   made.effect("renewed", ttl_ms=3000)]
        for at in (0, SECOND):  # it renews once
            story.call("client-1", "redis-1", at, ["EVAL", {"script": "redisson-lock"}], 1, effects)
        story.add("finished", "client-1", 9 * SECOND)
        self.assertEqual(self.life(story), (SECOND + MS + 3 * SECOND + MS, "expired"))


def with_rate(host, ppb, strikes_at=0, heals_at=None):
    """A client takes the lock for 10 s, by clocks of which one runs at another rate from an instant on."""
    story = made.Story("rate")
    story.acquire("client-1", 0)
    story.add("strike", host, strikes_at, fault=1, word="clock-rate", value=ppb)
    if heals_at is not None:
        story.add("heal", host, heals_at, fault=1, word="clock-rate")
    story.add("finished", "client-2", 30 * SECOND)
    for event in story.events:
        if event["host"] != host or event["at"] <= strikes_at:
            continue
        gained = (min(event["at"], heals_at if heals_at is not None else event["at"]) - strikes_at) * ppb // 10**9
        for clock in ("mono", "boot"):
            event[clock] += gained
        event["wall"] = event["mono"] // 1000
    return story


class Leases(WithFolder):
    def test_a_servers_lease_ends_by_its_own_rate(self):
        life, = keys.key_lives(self.history(with_rate("redis-1", 10_000_000)))  # + 1 %
        self.assertAlmostEqual(life.end, 10_001_000 / 1.01, delta=2 * MS)
        life, = keys.key_lives(self.history(with_rate("redis-1", -500_000_000)))
        self.assertAlmostEqual(life.end, 20 * SECOND, delta=4 * MS)

    def test_a_clients_lease_ends_by_its_own_rate_for_as_long_as_it_lasts(self):
        hold, = model.holds(self.history(with_rate("client-1", 20_000_000)))
        self.assertAlmostEqual(hold.deadline, 10 * SECOND / 1.02, delta=2 * MS)
        hold, = model.holds(self.history(with_rate("client-1", 1_000_000_000, heals_at=4 * SECOND)))
        self.assertAlmostEqual(hold.deadline, 6 * SECOND, delta=4 * MS)

    def test_the_rate_of_another_host_does_not_count(self):
        hold, = model.holds(self.history(with_rate("redis-1", 20_000_000)))
        self.assertEqual(hold.deadline, 10 * SECOND)

    def test_a_clock_that_stands_still_ends_no_lease(self):
        story = with_rate("redis-1", -1_000_000_000, strikes_at=SECOND)
        life, = keys.key_lives(self.history(story))
        self.assertEqual((life.end, life.ended), (30 * SECOND, ""))

    def test_a_lease_goes_by_the_clock_that_its_service_reads(self):
        for server, end in (("redis-1", 6 * SECOND + 2 * MS), ("memcached-1", 10 * SECOND + MS)):
            story = made.Story("jump")
            story.jumps.append(("redis-1", 2 * SECOND, 4 * SECOND))
            story.acquire("client-1", 0)
            story.add("strike", "redis-1", 2 * SECOND, fault=1, word="clock-jump", value=4 * SECOND)
            story.add("finished", "client-2", 30 * SECOND)
            for named in [*story.header["hosts"], *story.events]:
                for field in ("name", "host", "peer"):
                    if named.get(field) == "redis-1":
                        named[field] = server
            life, = keys.key_lives(self.history(story))
            self.assertEqual((life.end, life.ended), (end, "expired"), server)

    def test_a_suspended_hosts_monotonic_clock_stops_and_its_others_go_on(self):
        story = made.Story("suspended")
        story.acquire("client-1", 0)
        story.add("strike", "client-1", 2 * SECOND, fault=1, word="suspend", value=5 * SECOND)
        story.add("heal", "client-1", 7 * SECOND, fault=1, word="suspend")
        story.events[-1]["mono"] -= 5 * SECOND
        clocks = HostClocks(self.history(story))
        self.assertEqual([clocks.reached("client-1", clock, 0, 4 * SECOND) for clock in ("mono", "wall", "boot")],
                         [9 * SECOND, 4 * SECOND, 4 * SECOND])

    def test_who_leaves_at_the_deadline_as_soon_as_the_machine_lets_it_has_not_outlived_its_lease(self):
        for late, word, outlived in ((10 * MS, "deadline", False), (0, "deadline", True), (10 * MS, "finished", True)):
            story = made.Story("deadline", world="real")
            story.header.update(late_us=late // 5, speedup=5)
            story.acquire("client-1", 0)
            story.add("exit", "client-1", 10 * SECOND + 3 * MS, round=1, word=word)
            hold, = model.holds(self.history(story))
            self.assertEqual(hold.outlived, outlived, (late, word))

    def test_a_renewal_moves_the_end_and_an_acquisition_once_more_too(self):
        for what in ("renewed", "granted"):
            story = made.Story("longer")
            story.acquire("client-1", 0)
            story.add(what, "client-1", 4 * SECOND, round=1, left={"us": 10 * SECOND, "clock": "mono"})
            hold, = model.holds(self.history(story))
            self.assertEqual(hold.deadline, 14 * SECOND, what)


class Faults(WithFolder):
    def test_each_kind_that_has_an_amount_shows_it(self):
        for kind, value, expected in (
                ("pause", 3 * SECOND, "paused for 3 s"), ("suspend", 10_050 * MS, "suspended for 10.05 s"),
                ("clock-rate", 20_000_000, "clocks +2 %"), ("clock-rate", -5_000_000, "clocks −0.5 %"),
                ("clock-jump", 1500 * MS, "clock +1.5 s"), ("clock-jump", -20 * SECOND, "clock −20 s"),
                ("delay", 15 * SECOND, "message delayed by 15 s"),
                ("resend", 200 * MS, "reply lost, sent again after 200 ms"),
                ("partition", 4 * SECOND, "cut off for 4 s"), ("restart", 100 * MS, "restarts, down for 100 ms"),
                ("power-cut", 60 * SECOND, "loses power, down for 60 s"),
                ("replication-stall", 30 * SECOND, "replication stalls for 30 s"),
                ("client-pause", 2 * SECOND, "clients paused for 2 s")):
            mark, = faults.faults(self.history(struck(kind, lasts=value, heals=False, effects=[])))
            self.assertEqual(faults.fault_text(mark).replace("\n", " "), expected)

    def test_the_other_host_is_named(self):
        words = made.known_faults()
        mark = faults.FaultMark("redis-1", "partition", 0, None, 4 * SECOND, "redis-2", 1, words["partition"])
        self.assertEqual(faults.fault_text(mark), "cut off from redis-2\nfor 4 s")
        mark = faults.FaultMark("redis-1", "failover", 0, None, 5 * SECOND, "redis-2", 0, words["failover"])
        self.assertEqual(faults.fault_text(mark), "failover to redis-2,\nsilent for 5 s")

    def test_a_fault_lasts_until_it_heals_or_its_time_or_the_history_is_over(self):
        for kind, end, amount, until in (("pause", 3 * SECOND, 9 * SECOND, 3 * SECOND),
                                         ("pause", None, 2 * SECOND, 3 * SECOND),
                                         ("pause", None, 20 * SECOND, 8 * SECOND),
                                         ("clock-rate", None, 20_000_000, 8 * SECOND), ("crash", None, None, None)):
            mark = faults.FaultMark("a", kind, SECOND, end, amount, words=made.known_faults()[kind])
            self.assertEqual(mark.lasts_until(8 * SECOND), until)

    def test_a_history_without_words_for_its_faults_is_refused(self):
        with self.assertRaisesRegex(BadInput, "no words for the fault 'brand-new'; record the history again"):
            self.history(struck("brand-new", effects=[]))

    def test_who_only_kills_the_worker_ends_its_stay(self):
        story = made.Story("kill-task")
        story.acquire("client-1", 0)
        story.add("strike", "client-1", 2 * SECOND, fault=1, word="kill-task")
        story.add("finished", "client-2", 8 * SECOND)
        hold, = model.holds(self.history(story))
        self.assertEqual((hold.exit, hold.ended), (2 * SECOND, "kill-task"))


class Renewals(WithFolder):
    def folded(self, story):
        history = self.history(story)
        messages = model.messages(history)
        return folds.fold_renewals(history, messages), messages

    def test_many_are_one_mark_with_their_number(self):
        (fold,), messages = self.folded(made.renewals(57))
        self.assertEqual((fold.client, fold.count, fold.what), ("client-1", 55, "renewed"))
        shown = [m.text for m in messages if not m.folded]
        self.assertEqual(sum(text.startswith("compare-and-expire") for text in shown), 2, "the first and the last")
        self.assertEqual(sum(text == "READ" for text in shown), 1, "the work goes on meanwhile, and is drawn")
        scene = Scene(load_run(self.folder))
        self.assertIn("55 more renewals", [text for _, _, text, _ in scene.remarks()])
        self.assertEqual(sum(text == "renewed" for _, _, text, _ in scene.remarks()), 2)

    def test_three_are_drawn_in_full(self):
        self.assertEqual(self.folded(made.renewals(3))[0], [])

    def test_a_fault_between_them_parts_them(self):
        story = made.renewals(20)
        story.add("strike", "client-1", 10 * SECOND + 500 * MS, fault=1, word="pause", value=100 * MS)
        story.add("heal", "client-1", 10 * SECOND + 600 * MS, fault=1, word="pause")
        found, _ = self.folded(story)
        self.assertEqual([fold.count for fold in found], [8, 8])

    def test_the_picture_stays_on_its_page(self):
        heights = []
        for count in (4, 200):
            self.history(made.renewals(count))
            figure = spacetime.page([load_run(self.folder)])
            heights.append(figure.get_size_inches()[1])
            spacetime.plt.close(figure)
        self.assertEqual(heights[0], heights[1])


class Verdicts(unittest.TestCase):
    def test_what_was_not_judged_is_not_told_as_not_found(self):
        properties = [{"property": "a", "verdict": "no-violation", "judged": False},
                      {"property": "b", "verdict": "no-violation"},
                      {"property": "c", "verdict": "violated", "kind": "outlived"}]
        self.assertEqual(spacetime.verdict_groups({"properties": properties}),
                         [("violated", ["c (outlived)"]), ("no violation", ["b"]), ("not judged", ["a"])])


if __name__ == "__main__":
    unittest.main()
