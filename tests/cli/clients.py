#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The clients of docs/guide/examples/clients, as a user runs them: clients.py PROGRAM ROOT virtual|quick|services.

`virtual` runs and searches in virtual time, `quick` on real servers, what Debian's python3-redis is enough for;
`services` the clients in other languages, in both. A client
whose runtime is absent is skipped, and said.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM, ROOT, PART = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), sys.argv[3]
CLIENTS = ROOT / "docs/guide/examples/clients"
TRIES = 3  # what happens on real servers depends on when the machine lets them run
ON_POSTGRES = "[servers]\npostgres = 1\n"
PAUSE = ('[[fault]]\nkind = "pause"\ntarget = "client-1"\nwhen = "{}"\nfor = "1250ms"\n'
         'until = "client-2 enters"\nlonger = "75ms"\n')
LOSE = '[[fault]]\nkind = "half-open"\ntarget = "client-1"\nwhen = "{}"\nlose = "{}"\n'
CRASH = '[[fault]]\nkind = "crash"\ntarget = "client-1"\nwhen = "{}"\n'
BREAK = '[[fault]]\nkind = "break-connection"\ntarget = "client-1"\npeer = "redis-1"\nwhen = "{}"\n'
NO_TIMEOUT = 'environment = { NO_TIMEOUT = "1" }\n'
RENEWS = "renews = true\n"
LONG_LEASE_FIRST = '[workload]\nlease = "500ms"\n'

# the client; more of [algorithm]; faults; what must be violated, and what must not
QUICK = [
    ("redis_py.py", "", "", {}, ("mutual-exclusion", "owner-release", "answers", "survives")),
    ("redis_py.py", "", PAUSE.format("client-1 enters"), {"mutual-exclusion": "outlived"}, ("owner-release",)),
    ("redis_py.py", "", LOSE.format("client-1 before SET free", "reply"), {"answers": "acquire"}, ("owner-release",)),
    ("redis_py.py", NO_TIMEOUT, CRASH.format("client-1 enters"), {"deadlock-freedom": "orphaned"}, ("owner-release",)),
    ("naive.py", "", "", {}, ("mutual-exclusion", "owner-release", "answers", "survives")),
    ("naive.py", "", PAUSE.format("client-1 before DEL own"), {"owner-release": None}, ()),
]
BREAK_ON_POSTGRES = BREAK.replace("redis-1", "postgres-1")
ENDS = BREAK_ON_POSTGRES.format("client-1 enters")
UNSENT = "client-1 before PG_ADVISORY_UNLOCK own"  # its connection has ended at the server, too, and the lock with it
SERVICES = [
    ("psycopg2_advisory.py", ON_POSTGRES, "", {}, ("mutual-exclusion", "owner-release", "answers", "survives")),
    ("psycopg2_advisory.py", ON_POSTGRES, ENDS, {"mutual-exclusion": "double-grant"}, ("owner-release",)),
    ("psycopg2_advisory.py", ON_POSTGRES, CRASH.format(UNSENT), {}, ("deadlock-freedom",)),
    ("psycopg2_advisory.py", ON_POSTGRES, BREAK_ON_POSTGRES.format(UNSENT), {}, ("deadlock-freedom",)),
    ("redis_cli.sh", "", "", {}, ("mutual-exclusion", "owner-release", "survives")),
    ("ruby.rb", "", "", {}, ("mutual-exclusion", "owner-release", "survives")),
    ("ruby.rb", "", PAUSE.format("client-1 enters"), {"mutual-exclusion": "outlived"}, ("owner-release",)),
    *((client, "", "", {}, ("mutual-exclusion", "owner-release", "survives"))
      for client in ("redis_pm.pl", "redis_lua.lua", "malkusch.php")),
    ("redis_pm.pl", "", PAUSE.format("client-1 enters"), {"mutual-exclusion": "outlived"}, ("owner-release",)),
    ("redis_lua.lua", "", PAUSE.format("client-1 enters"), {"mutual-exclusion": "outlived"}, ("owner-release",)),
    ("redis_py.py", NO_TIMEOUT, BREAK.format("client-1 before EVALSHA:c3f8 own"), {"deadlock-freedom": "orphaned"}, ()),
    ("node/redlock4.js", "", "", {}, ("mutual-exclusion", "owner-release", "survives")),
    ("node/redlock5.js", "", "", {}, ("mutual-exclusion", "owner-release", "survives")),
    ("node/semaphore.js", RENEWS, "", {}, ("mutual-exclusion", "owner-release", "survives")),
    ("node/semaphore.js", RENEWS, LOSE.format("client-1 before EVALSHA:5946 own", "request"),
     {"answers": "release"}, ()),
    ("node/redlock5_using.js", RENEWS, LOSE.format("client-1 before EVALSHA:aed6 own", "request"),
     {"mutual-exclusion": "outlived"}, ()),
]


def call(words, folder):
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def runtime_of(client):
    """The words that run it; nothing: its runtime, or its libraries, are not there."""
    runtimes = {".py": "/usr/bin/python3", ".sh": "/bin/bash", ".rb": "/usr/bin/ruby", ".js": "/usr/bin/node",
                ".pl": "/usr/bin/perl", ".lua": "/usr/bin/lua5.1", ".php": "/usr/bin/php"}
    needs = {".py": ["-c", "import redis"], ".sh": ["-c", "command -v redis-cli"], ".rb": ["-e", "require 'redis'"],
             ".js": ["-e", ""], ".pl": ["-e", "use Redis; use JSON::PP;"],
             ".lua": ["-e", "require 'redis'; require 'cjson'"],
             ".php": ["-r", "require 'Malkusch/Lock/autoload.php'; new Redis();"],
             "psycopg2_advisory.py": ["-c", "import psycopg2"]}
    ending = Path(client).suffix
    program = runtimes[ending]
    there = Path(program).exists() and call([program, *needs.get(client, needs[ending])], Path.cwd()).returncode == 0
    return program if there else None


def installed(folder):
    """A copy of the clients, with the libraries for Node."""
    shutil.copytree(CLIENTS, folder / "clients", ignore=shutil.ignore_patterns("node_modules"))
    if PART == "services" and shutil.which("npm"):
        call(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder / "clients/node")
    return folder


def run(folder, client, more, faults):
    """What was violated: property and kind."""
    scenario = folder / "scenario.toml"
    command = json.dumps([runtime_of(client), f"clients/{client}"])
    scenario.write_text(f"[algorithm]\ncommand = {command}\n{more}\n{LONG_LEASE_FIRST}\n{faults}", encoding="utf-8")
    done = call([PROGRAM, "real", str(scenario), "--format", "json"], folder)
    assert done.returncode in (0, 1, 2), f"{client}: exit code {done.returncode}: {done.stderr[-2000:]}"
    found = json.loads(done.stdout)["properties"]
    return {one["property"]: one.get("kind") for one in found if one["verdict"] == "violated"}


def judge(folder, client, more, faults, broken, kept):
    what = {}
    for _ in range(TRIES):
        what = run(folder, client, more, faults)
        missing = [name for name, kind in broken.items() if name not in what or (kind and what[name] != kind)]
        wrong = [name for name in kept if name in what]
        if not missing and not wrong:
            return ""
    return f"{client} {faults.split('when')[-1][:50]!r}: violated {what}, expected {broken}, and none of {kept}"


def check_refusals(folder):
    """What cannot take a program says so; check takes it when it is allowed to."""
    shutil.copy(ROOT / "docs/guide/examples/naive_pause.toml", folder / "naive_pause.toml")
    for words in (["explore", "--liveness"], ["replay"], ["soak", "--time", "1s"]):
        done = call([PROGRAM, words[0], "naive_pause.toml", *words[1:]], folder)
        assert done.returncode == 64 and "a program of its own" in done.stderr, f"{words}: {done.stderr}"
    for verb in ("explore", "minimize"):
        done = call([PROGRAM, verb, "naive_pause.toml"], folder)
        assert done.returncode == 64 and "placed by whose the lock is" in done.stderr, f"{verb}: {done.stderr}"
    done = call([PROGRAM, "run", "naive_pause.toml"], folder)
    assert "owner-release       violated" in done.stdout, done.stdout + done.stderr
    done = call([PROGRAM, "check", "naive_pause.toml"], folder)
    assert done.returncode == 64 and "--allow-clients" in done.stdout, done.stdout
    for _ in range(TRIES):
        done = call([PROGRAM, "check", "--allow-clients", "naive_pause.toml"], folder)
        if done.returncode == 0:
            break
    assert done.returncode == 0 and "owner-release" in done.stdout, done.stdout


def check_other_servers(folder):
    """Servers on which no program can be watched: nothing is wrong, and nothing can be judged, whatever is asked."""
    for service in "memcached", "zookeeper", "etcd":
        text = f'[algorithm]\ncommand = ["/usr/bin/python3", "clients/naive.py"]\n[servers]\n{service} = 1\n'
        (folder / "elsewhere.toml").write_text(text, encoding="utf-8")
        for words in ("run", "explore", "real", "sweep", "frontier", "check --allow-clients", "check"):
            done = call([PROGRAM, *words.split(), "elsewhere.toml"], folder)
            said = " ".join((done.stdout + done.stderr).split())
            assert done.returncode == 2 and "lockproof cannot watch a program" in said, f"{service}: {words}: {said}"
        done = call([PROGRAM, "real", "elsewhere.toml", "--format", "json"], folder)
        assert json.loads(done.stdout)["refused"] == "servers", done.stdout


def check_on_postgres(folder):
    """What virtual time, and a sweep, have no part of there is said in a sentence; check runs a scenario of it."""
    shutil.copy(ROOT / "docs/guide/examples/postgres_connection.toml", folder)
    for verb in ("run", "explore", "minimize", "frontier", "explain"):
        done = call([PROGRAM, verb, "postgres_connection.toml"], folder)
        assert done.returncode == 2 and "which virtual time has no server for" in done.stderr, f"{verb}: {done.stderr}"
    done = call([PROGRAM, "explore", "postgres_connection.toml", "--format", "json"], folder)
    refusal = json.loads(done.stdout)
    assert refusal["refused"] == "virtual-time" and refusal["why"] in done.stderr, done.stdout + done.stderr
    done = call([PROGRAM, "sweep", "postgres_connection.toml", "--faults", "flush"], folder)
    assert done.returncode == 64, done.stderr
    done = call([PROGRAM, "sweep", "clients/psycopg2.toml", "--faults", "pause,flush"], folder)
    assert done.returncode == 64 and "which servers of postgres cannot have" in done.stderr, done.stderr
    done = call([PROGRAM, "check", "--allow-clients", "postgres_connection.toml"], folder)
    assert done.returncode == 0 and "mutual-exclusion: double-grant" in done.stdout, done.stdout + done.stderr


def simulated(folder, verb, client, more):
    """What is violated in virtual time, and all that it printed."""
    command = json.dumps([runtime_of(client), f"clients/{client}"])
    (folder / "virtual.toml").write_text(f"[algorithm]\ncommand = {command}\n{more}", encoding="utf-8")
    done = call([PROGRAM, verb, "virtual.toml", "--quiet"], folder)
    assert done.returncode in (0, 1, 2), f"{verb} {client}: exit code {done.returncode}: {done.stderr[-2000:]}"
    return [line.split()[0] for line in done.stdout.splitlines() if " violated" in line], done.stdout


def check_virtual_time(folder):
    """The same clients, unmodified, in the simulator: runs are equal, and a search finds what a pause breaks."""
    ten_seconds = '[workload]\nlease = "10s"\nwork = ["hold 6s"]\n[network]\nlatency = "10ms"\n'
    pause = '[[fault]]\nkind = "pause"\ntarget = "client-1"\nwhen = "client-1 {}"\nfor = "{}"\n'
    broken, first = simulated(folder, "run", "redis_py.py", ten_seconds + pause.format("enters", "12s"))
    assert "mutual-exclusion" in broken and "owner-release" not in broken, first
    assert simulated(folder, "run", "redis_py.py", ten_seconds + pause.format("enters", "12s"))[1] == first
    broken, text = simulated(folder, "run", "naive.py", ten_seconds + pause.format("before DEL", "6s"))
    assert "owner-release" in broken, text
    done = call([PROGRAM, "minimize", "virtual.toml", "--property", "owner-release"], folder)
    assert done.returncode == 0 and "the smallest cause" in done.stdout, done.stdout + done.stderr
    any_pause = ten_seconds + ('[explore]\nmax_faults = 1\n'
                               '[[explore.fault]]\nkind = "pause"\ntarget = "clients"\nfor = "6s"\n')
    for client, wrong in (("naive.py", True), ("redis_py.py", False)):
        broken, text = simulated(folder, "explore", client, any_pause)
        assert "mutual-exclusion" in broken and ("owner-release" in broken) == wrong, text
    done = call([PROGRAM, "frontier", "virtual.toml"], folder)
    assert done.returncode == 0 and "by any one of          pause (client)" in done.stdout, done.stdout + done.stderr


def check_many_runs(folder):
    """What programs alone are judged by is told of many runs, too, and in five sentences."""
    shutil.copy(ROOT / "docs/guide/examples/virtual_naive.toml", folder)
    done = call([PROGRAM, "run", "virtual_naive.toml", "--runs", "20"], folder)
    assert "  survives            no violation" in done.stdout, done.stdout + done.stderr
    assert "the program does not claim it: loss-notification" in done.stdout, done.stdout
    silent = '[[fault]]\nkind = "half-open"\ntarget = "client-1"\nwhen = "client-1 before SET"\nlose = "reply"\n'
    (folder / "silent.toml").write_text(
        f'[algorithm]\ncommand = ["python3", "clients/naive.py"]\n[workload]\nlease = "10s"\n{silent}',
        encoding="utf-8")
    done = call([PROGRAM, "explain", "silent.toml", "--property", "answers"], folder)
    assert "was told to acquire" in done.stdout, done.stdout + done.stderr
    assert "The lock is a program of its own, naive.py" in done.stdout, done.stdout


def check_in_virtual_time(folder):
    """What a scenario expects of a program in virtual time is checked there, and searched if that is asked."""
    files = ["virtual_naive.toml", "virtual_failover.toml"]
    for file in files:
        shutil.copy(ROOT / "docs/guide/examples" / file, folder)
    done = call([PROGRAM, "check", "--allow-clients", "--explore", "--out", "checked", *files], folder)
    assert done.returncode == 0 and "4 of 4 runs of 2 scenarios as expected" in done.stdout, done.stdout + done.stderr
    runs = json.loads((folder / "checked/results.json").read_text(encoding="utf-8"))["runs"]
    assert [run["world"] for run in runs] == ["simulated"] * 2 + ["explored"] * 2, runs
    text = (folder / "virtual_naive.toml").read_text(encoding="utf-8")
    text = text.replace("[expect.run]", '[expect.run]\nsurvives = "died"')
    (folder / "wrong.toml").write_text(text, encoding="utf-8")
    done = call([PROGRAM, "check", "--allow-clients", "wrong.toml"], folder)
    assert done.returncode == 1 and "expected died" in done.stdout, done.stdout + done.stderr


def check_failover_in_virtual_time(folder):
    """As chapter 8 tells it: found by a search, run again, and the same on real servers."""
    shutil.copy(ROOT / "docs/guide/examples/virtual_failover.toml", folder)
    done = call([PROGRAM, "explore", "virtual_failover.toml", "--quiet", "--out", "failed-over"], folder)
    text = done.stdout + done.stderr
    assert done.returncode == 0 and "every expectation met" in text and "searched: every schedule" in text, text
    shown = "failed-over/virtual_failover-mutual-exclusion-double-grant.toml"
    done = call([PROGRAM, "run", shown, "--quiet"], folder)
    assert done.returncode == 0 and "violated (double-grant)   as expected" in done.stdout, done.stdout + done.stderr
    done = call([PROGRAM, "real", shown], folder)
    assert done.returncode == 0 and "violated (double-grant)   as expected" in done.stdout, done.stdout + done.stderr


def check_second_connection(folder):
    """A lock whose waiters are told of a release on a second connection is answered alike in both worlds."""
    shutil.copytree(ROOT / "tests/programs/clients", folder / "twins")
    short = '[workload]\nlease = "400ms"\nwork = ["hold 100ms"]\n'
    for how in ("early", "closes", "resp3", "channels"):
        command = json.dumps([runtime_of("redis_py.py"), "twins/subscriber.py", how])
        (folder / "twice.toml").write_text(f'[algorithm]\ncommand = {command}\nrounds = "fresh"\n{short}',
                                           encoding="utf-8")
        for verb in ("run", "real"):
            done = call([PROGRAM, verb, "twice.toml", "--out", "told"], folder)
            text = done.stdout + done.stderr
            violated = re.search(r"^  [\w-]+ +violated", text, re.MULTILINE)  # what a late run showed is said below
            assert done.returncode in (0, 2) and not violated, f"{how}: {text}"
            assert text.count("ENTERS") >= 2, f"{how} in {verb}: not everybody is told\n{text}"


def check_node_in_virtual_time(folder):
    """Each client for Node runs there and does the same when it is run again; a search finds what a pause breaks."""
    ten_seconds = '[workload]\nlease = "10s"\nwork = ["hold 6s"]\n[network]\nlatency = "10ms"\n'
    pause = '[[fault]]\nkind = "pause"\ntarget = "client-1"\nwhen = "client-1 enters"\nfor = "25s"\n'
    for client, more in (("redlock4", ""), ("redlock5", ""), ("redlock5_using", RENEWS), ("semaphore", RENEWS)):
        file = f"node/{client}.js"
        broken, text = simulated(folder, "run", file, more + ten_seconds)
        assert not broken, text
        assert simulated(folder, "run", file, more + ten_seconds)[1] == text, f"{client} is not the same twice"
        assert "--single-threaded" in text and "by node v" in text, text
        broken, text = simulated(folder, "run", file, more + ten_seconds + pause)
        assert "mutual-exclusion" in broken and "owner-release" not in broken, text
    any_pause = ten_seconds + ('[explore]\nmax_faults = 1\n'
                               '[[explore.fault]]\nkind = "pause"\ntarget = "client-1"\nfor = "12s"\n')
    (folder / "virtual.toml").write_text(
        f'[algorithm]\ncommand = ["/usr/bin/node", "clients/node/redlock4.js"]\n{any_pause}', encoding="utf-8")
    done = call([PROGRAM, "explore", "virtual.toml", "--quiet", "--find", "first"], folder)
    text = done.stdout + done.stderr
    assert "mutual-exclusion    violated (outlived)" in text and "redlock4" in text, text


def check_redlock5_releases_for_ever(folder):
    """As chapter 8 tells it: the search finds it, all is searched, and a real server shows the same."""
    shutil.copy(ROOT / "docs/guide/examples/virtual_redlock5.toml", folder)
    done = call([PROGRAM, "explore", "virtual_redlock5.toml", "--quiet", "--out", "found"], folder)
    text = done.stdout + done.stderr
    assert done.returncode == 0 and "every expectation met" in text and "searched: every schedule" in text, text
    assert "answers             violated (release)" in text and "owner-release       holds" in text, text
    assert "but a program that has not answered for 80s" in text, text
    short = (folder / "found/virtual_redlock5-answers-release.toml").read_text(encoding="utf-8")
    for ten, one in (('lease = "10s"', 'lease = "1s"'), ('"hold 6s"', '"hold 600ms"'),
                     ('for = "12s"', 'for = "1200ms"'), ('start = "2500ms"', 'start = "250ms"'),
                     ('answers = "80s"', 'answers = "8s"'), ('horizon = "1000s"', 'horizon = "20s"')):
        assert ten in short, (ten, short)
        short = short.replace(ten, one)
    (folder / "found/short.toml").write_text(short, encoding="utf-8")
    done = call([PROGRAM, "real", "found/short.toml", "--quiet"], folder)
    text = done.stdout + done.stderr
    assert "answers             violated (release)        as expected" in text, text


def check_ruby_in_virtual_time(folder):
    """ruby.rb runs there; redis_cli.sh, which starts other processes, is refused with a sentence."""
    ten_seconds = '[workload]\nlease = "10s"\nwork = ["hold 6s"]\n[network]\nlatency = "10ms"\n'
    broken, text = simulated(folder, "run", "ruby.rb", ten_seconds)
    assert not broken and "by ruby " in text, text
    (folder / "virtual.toml").write_text(
        f'[algorithm]\ncommand = ["/bin/bash", "clients/redis_cli.sh"]\n{ten_seconds}', encoding="utf-8")
    done = call([PROGRAM, "run", "virtual.toml"], folder)
    refused = "cannot judge: " in done.stderr and "starts another process" in done.stderr
    assert done.returncode == 2 and refused, done.stderr


def check_sweep_in_tasks(folder, between):
    """Each kind of fault is a task, and what they find is found together."""
    plan = call([PROGRAM, "plan", "sweep", "naive.toml", "--faults", "pause,crash", "--repeat", "1"], folder)
    assert plan.returncode == 0 and len(plan.stdout.splitlines()) == 2, plan.stdout + plan.stderr
    (folder / "tasks.jsonl").write_text(plan.stdout, encoding="utf-8")
    for _ in range(TRIES):
        work = subprocess.run([PROGRAM, "work"], input=plan.stdout, cwd=folder, capture_output=True, text=True,
                              check=False)
        (folder / "answers.jsonl").write_text(work.stdout, encoding="utf-8")
        join = call([PROGRAM, "join", "tasks.jsonl", "answers.jsonl", "--out", "joined"], folder)
        assert join.returncode in (1, 3), join.stdout + join.stderr + work.stderr
        swept = json.loads((folder / "joined/sweep.json").read_text(encoding="utf-8"))
        assert swept["kinds"] == ["pause", "crash"], swept["kinds"]
        assert {strike["fault"] for strike in swept["strikes"]} == {"", "pause", "crash"}, swept["strikes"]
        assert swept["reproduce"] == "lockproof sweep naive.toml --faults pause,crash", swept["reproduce"]
        if any(between & {event.split(" #")[0] for event in one["events"]} and (folder / one["file"]).exists()
               for one in swept["violations"]):
            return
    assert False, swept["violations"]


def check_sweep(folder):
    """The GET-then-DEL race is found by a sweep, and the scenario that it writes shows it again."""
    shutil.copy(ROOT / "docs/guide/examples/naive_pause.toml", folder / "naive.toml")
    text = (folder / "naive.toml").read_text(encoding="utf-8")
    (folder / "naive.toml").write_text(text[:text.index("[[fault]]")], encoding="utf-8")
    between = {"client-1 after GET own", "client-1 before DEL own"}
    for _ in range(TRIES):  # on a machine that is late these strikes may be undecided
        shutil.rmtree(folder / "found", ignore_errors=True)
        done = call([PROGRAM, "sweep", "naive.toml", "--faults", "pause", "--repeat", "2", "-j", "2", "--out", "found",
                     "--junit", "junit.xml"], folder)
        assert done.returncode in (1, 3), done.stdout + done.stderr
        swept = json.loads((folder / "found/sweep.json").read_text(encoding="utf-8"))
        found = [one for one in swept["violations"] if one["property"] == "owner-release" and
                 between & {event.split(" #")[0] for event in one["events"]}]
        if found:
            break
    assert found, swept["violations"]
    check_sweep_in_tasks(folder, between)
    file = found[0]["file"]
    codes = {call([PROGRAM, "real", file], folder).returncode for _ in range(TRIES)}
    assert 0 in codes, f"{file} does not show again what was found: {codes}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = installed(Path(name))
        if runtime_of("redis_py.py") and PART == "virtual":
            check_virtual_time(folder)
            check_many_runs(folder)
            check_in_virtual_time(folder)
        if runtime_of("redis_py.py") and PART == "quick":
            check_refusals(folder)
            check_other_servers(folder)
            check_failover_in_virtual_time(folder)
            check_second_connection(folder)
            check_sweep(folder)
        if PART == "services" and (folder / "clients/node/node_modules").exists():
            check_node_in_virtual_time(folder)
            check_redlock5_releases_for_ever(folder)
        if PART == "services" and runtime_of("psycopg2_advisory.py"):
            check_on_postgres(folder)
        if PART == "services" and runtime_of("ruby.rb"):
            check_ruby_in_virtual_time(folder)
        failed = []
        for client, more, faults, broken, kept in {"virtual": [], "quick": QUICK, "services": SERVICES}[PART]:
            node = client.startswith("node/") and not (folder / "clients/node/node_modules").exists()
            if runtime_of(client) is None or node:
                print(f"skipped: {client}, whose {'libraries' if node else 'runtime'} cannot be had here")
                continue
            failed.append(judge(folder, client, more, faults, broken, kept))
        failed = [one for one in failed if one]
        print("\n".join(failed))
        sys.exit(1 if failed else 0)


main()
