# SPDX-License-Identifier: Apache-2.0
"""Running lockproof real --redis, for tests that are called with LOCKPROOF SOURCE PART."""
import os
import pathlib
import subprocess
import sys
import tempfile

LOCKPROOF, SOURCE, PART = sys.argv[1:4]
SCRATCH = tempfile.TemporaryDirectory()

SHORT = """
[algorithm]
name = "set-px-token"
[workload]
clients = 2
rounds = 3
lease = "1s"
retry = "5ms"
work = ["read", "hold 5ms", "write"]
[run]
horizon = "5s"
[expect.real]
exercised = "no-violation"
"""


def written(text, name="short"):
    path = pathlib.Path(SCRATCH.name) / f"{name}.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def start(scenario, *words, password=None, username=None):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LOCKPROOF")}
    if password:
        environment["LOCKPROOF_REDIS_PASSWORD"] = password
    if username:
        environment["LOCKPROOF_REDIS_USERNAME"] = username
    return subprocess.Popen([LOCKPROOF, "real", scenario, *words], cwd=SOURCE, env=environment, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def real(scenario, addresses, *words, code=0, **secret):
    process = start(scenario, "--redis", addresses, *words, **secret)
    out, err = process.communicate(timeout=30)
    wanted = (0, 1, 2) if code is None else (code,)
    assert process.returncode in wanted, f"{scenario} {addresses}: {process.returncode}, not {wanted}\n{out}\n{err}"
    for word in secret.values():
        assert not word.startswith("secret") or word not in out + err, "it tells the password"
    return out, err
