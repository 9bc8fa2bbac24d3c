#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Three incidents of public trackers, rebuilt in our own words: what judge says of their logs.

judge_incidents.py LOCKPROOF SOURCE
"""
import pathlib
import tempfile

from judge import SCRIPT, Logs, check, judge, mutual_exclusion

POD_1 = """2024-05-07T02:00:00.012Z DEBUG executor : Locked 'nightly-mail', lock will be held at most until 02:00:30
2024-05-07T02:00:44.310Z DEBUG executor : Task finished, lock 'nightly-mail' released
2024-05-07T02:01:00.015Z DEBUG executor : Not executing 'nightly-mail'. It's locked.
"""
POD_2 = """2024-05-07T02:00:00.020Z DEBUG executor : Not executing 'nightly-mail'. It's locked.
2024-05-07T02:00:30.021Z DEBUG executor : Locked 'nightly-mail', lock will be held at most until 02:01:00
2024-05-07T02:00:59.411Z DEBUG executor : Task finished, lock 'nightly-mail' released
"""


def traffic(logs, until_ms):
    """What else a server does, so that its log has the time before and after."""
    for ms in range(-2000, until_ms, 500):
        logs.command(ms * 1000, 39999, "GET", "feature-flags")
    return logs


def test_job_longer_than_its_lock(folder):
    """ShedLock #212 and #1502: two instances do one job; lockAtMostFor is shorter than the job. No server's log."""
    files = [folder / "pod-1.log", folder / "pod-2.log"]
    for file, text in zip(files, (POD_1, POD_2)):
        file.write_text(text, encoding="utf-8")
    words = ("--enters", "Locked '", "--leaves", "Task finished")
    report = judge(*files, *words, "--clocks", "100ms", codes=(1,))
    check(mutual_exclusion(report)["violated"] == "certain", "clocks of 100 ms do not explain 14 s", report)
    report = judge(*files, *words, "--clocks", "20s", codes=(2,))
    check(mutual_exclusion(report)["violated"] == "possible", "clocks of 20 s do", report)
    files[0].write_text(POD_1.replace("02:00:44.", "02:00:24."), encoding="utf-8")
    report = judge(*files, *words, "--clocks", "100ms", codes=(2,))
    check(mutual_exclusion(report)["violated"] == "none", "a shorter job is alone", report)


TAKE = ("if ((redis.call('exists', KEYS[1]) == 0) or (redis.call('hexists', KEYS[1], ARGV[2]) == 1)) then "
        "redis.call('hincrby', KEYS[1], ARGV[2], 1); redis.call('pexpire', KEYS[1], ARGV[1]); return nil; end; "
        "return redis.call('pttl', KEYS[1]);")
GIVE = ("if (redis.call('hexists', KEYS[1], ARGV[3]) == 0) then return nil; end; "
        "local counter = redis.call('hincrby', KEYS[1], ARGV[3], -1); if (counter > 0) then "
        "redis.call('pexpire', KEYS[1], ARGV[2]); return 0; else redis.call('del', KEYS[1]); return 1; end;")


def redisson(work_ms):
    """Of tryLock(10 s, 5 s) around a draw that takes so long."""
    logs, key, first, second = Logs(), "draw:summer", "157ddcf5-0cc2:42", "0d1f7a60-5d0c:17"

    def acquire(ms, port, who, gets):
        calls = [("hincrby", key, who, "1"), ("pexpire", key, "5000")] if gets else [("pttl", key)]
        logs.command(ms * 1000, port, "EVAL", TAKE, "1", key, "5000", who, calls=[("exists", key), *calls])

    def release(ms, port, who, ours):
        calls = [("hincrby", key, who, "-1"), ("del", key)] if ours else []
        logs.command(ms * 1000, port, "EVAL", GIVE, "2", key, "channel", "0", "5000", who,
                     calls=[("hexists", key, who), *calls])

    free = min(5013, work_ms + 40)
    acquire(10, 50111, first, True)
    logs.line(11_500, "node-a", "acquired lock, draws")
    acquire(900, 50222, second, False)
    acquire(free, 50222, second, True)
    logs.line(free * 1000 + 1800, "node-b", "acquired lock, draws")
    logs.line(work_ms * 1000, "node-a", "draw finished")
    release(work_ms + 1, 50111, first, work_ms < 5000)
    logs.line(work_ms * 1000 + 4000, "node-a",
              "released" if work_ms < 5000 else "attempt to unlock lock, not locked by current thread")
    logs.line((free + 3000) * 1000, "node-b", "draw finished")
    release(free + 3001, 50222, second, True)
    logs.line(free * 1000 + 3_004_000, "node-b", "released")
    return traffic(logs, 12_000)


def test_unlock_of_a_lock_that_is_another_ones(folder):
    """Redisson #581, #738: an unlock throws, since the lease of five seconds was over before the work."""
    report = judge(*redisson(7020).write(folder / "long"), codes=(1,))
    check(mutual_exclusion(report)["violated"] == "certain", "both drew", report)
    check("redisson" in report["nearest"], "it is Redisson's", report)
    check(report["gaps"][0]["client"] == "client-1", "who was silent", report)
    check(report["reproduction"]["shows_it"], "a scenario shows it, with a lease that is not renewed", report)
    report = judge(*redisson(3000).write(folder / "short"), codes=(0,))
    check(report["violated"] == "none", "three seconds of work are within the lease", report)


def renewed_by_a_thread(stalls_ms):
    """python-redis-lock, expire = 60 and auto_renewal: a thread renews every 40 s, and stalls once."""
    logs, key = Logs(), "lock:import"
    renew = "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('expire',KEYS[1],ARGV[2]) end return 0"

    def acquire(ms, port, token):
        logs.command(ms * 1000, port, "SET", key, token, "NX", "EX", "60")

    def renewal(ms, port, token, ours=True):
        logs.command(ms * 1000, port, "EVAL", renew, "1", key, token, "60",
                     calls=[("get", key)] + ([("expire", key, "60")] if ours else []))

    def release(ms, port, token, ours=True):
        logs.command(ms * 1000, port, "EVAL", SCRIPT, "1", key, token,
                     calls=[("get", key)] + ([("del", key)] if ours else []))

    first, second, ends = "b7f5e1c2a90d", "04c1d2e3f4a5", 150_000
    late = stalls_ms > 20_000
    acquire(100, 41001, first)
    logs.line(102_000, "celery-1", "got lock, imports")
    renewal(40_100, 41001, first)
    renewal(80_100 + stalls_ms, 41001, first, ours=not late)
    for ms in range(30_000, 100_000, 10_000):
        acquire(ms, 41002, second)
    free = 100_110 if late else ends + 500
    acquire(free, 41002, second)
    logs.line(free * 1000 + 2000, "celery-2", "got lock, imports")
    if not late:
        renewal(120_100, 41001, first)
    logs.line((ends - 1) * 1000, "celery-1", "import done")
    release(ends, 41001, first, ours=not late)
    logs.line((ends + 2) * 1000, "celery-1", "released" if not late else "NotAcquired: it is not acquired or expired")
    logs.line((free + 9000) * 1000, "celery-2", "import done")
    release(free + 9001, 41002, second)
    logs.line((free + 9003) * 1000, "celery-2", "released")
    return traffic(logs, 170_000)


def test_thread_that_renews_too_late(folder):
    """python-redis-lock #85, #93: NotAcquired after a long job, though the lock is renewed."""
    out = folder / "out"
    report = judge(*renewed_by_a_thread(28_000).write(folder / "stalls"), "--out", out, codes=(1,))
    check(mutual_exclusion(report)["violated"] == "certain", "both imported", report)
    check(any(gap["client"] == "client-1" for gap in report["gaps"]), "the missing renewal is a gap", report)
    check((out / "incident.html").exists() and "celery" not in (out / "incident.html").read_text(encoding="utf-8"),
          "there is a page without names")
    report = judge(*renewed_by_a_thread(0).write(folder / "renews"), codes=(0,))
    check(report["violated"] == "none", "renewed in time, it is kept", report)


def main():
    with tempfile.TemporaryDirectory() as name:
        for test in (test_job_longer_than_its_lock, test_unlock_of_a_lock_that_is_another_ones,
                     test_thread_that_renews_too_late):
            test(pathlib.Path(name))


if __name__ == "__main__":
    main()
