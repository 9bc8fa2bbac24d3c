# SPDX-License-Identifier: Apache-2.0
"""Tests that pass, fail or are skipped: the name says which, and ../plugin.py checks it, with the message."""
import sys

import pytest
from clients import EXAMPLES, NAIVE, REDIS_PY, WORKLOAD

PAUSE = {"kind": "pause", "target": "clients", "for": "6s"}


def test_passes_where_every_schedule_keeps_it(lockproof):
    found = lockproof.explore(client=REDIS_PY, faults=[PAUSE], **WORKLOAD).holds("owner-release").holds("answers")
    assert found.violates("mutual-exclusion", "outlived").verdicts["mutual-exclusion"].kind == "outlived"
    assert found.counterexample("mutual-exclusion").exists() and found.counterexample("answers") is None


def test_passes_with_a_scenario(lockproof):
    found = lockproof.explore(scenario=f"{EXAMPLES}/virtual_naive.toml").violates("owner-release")
    assert found.scenario.name == "virtual_naive.toml"


def test_passes_with_a_scenario_and_other_faults(lockproof):
    lockproof.explore(scenario=f"{EXAMPLES}/virtual_naive.toml", faults=["crash"]).holds("owner-release")


def test_passes_with_a_run(lockproof):
    found = lockproof.run(client=REDIS_PY, clients=3, tables='[network]\nlatency = "2ms"', seed=7, **WORKLOAD)
    assert found.shows_no_violation("mutual-exclusion").page.exists()


def test_passes_with_a_lock_in_lua(lockproof):
    lockproof.explore(client=f"{EXAMPLES}/my_lock.lua", faults=["pause"], **WORKLOAD).violates("mutual-exclusion")


def test_fails_readably(lockproof):
    lockproof.explore(client=NAIVE, faults=[PAUSE], **WORKLOAD).holds("owner-release")


def test_fails_if_unknown(lockproof):
    lockproof.explore(client=f"{EXAMPLES}/my_lock.lua", faults=[PAUSE], clients=4, max_faults=3, time="300ms",
                      **WORKLOAD).holds("owner-release")


def test_fails_if_not_judged(lockproof):
    lockproof.explore(client=REDIS_PY, **WORKLOAD).holds("fencing-order")


def test_fails_if_only_a_run_was_made(lockproof):
    lockproof.run(client=REDIS_PY, **WORKLOAD).holds("owner-release")


def test_fails_if_the_kind_is_another(lockproof):
    lockproof.explore(scenario=f"{EXAMPLES}/virtual_naive.toml").violates("mutual-exclusion", "double-grant")


def test_fails_with_the_nearest_property(lockproof):
    lockproof.run(client=REDIS_PY, **WORKLOAD).shows_no_violation("owner-relase")


def test_fails_with_the_program_s_own_message(lockproof):
    lockproof.explore(client=REDIS_PY, faults=["pauze"])


def test_fails_if_the_client_does_not_start(lockproof, tmp_path):
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
    lockproof.explore(client=tmp_path / "broken.py")


def test_fails_without_a_lock(lockproof):
    lockproof.explore(faults=["pause"])


def test_fails_with_two_workloads(lockproof):
    lockproof.explore(scenario=f"{EXAMPLES}/virtual_naive.toml", lease="10s")


def test_is_skipped_where_virtual_time_cannot_run(lockproof):
    lockproof.explore(client=["/bin/sh", "-c", f"{sys.executable} {REDIS_PY}; true"])


def test_is_skipped_where_the_service_has_no_server_there(lockproof):
    lockproof.explore(client=REDIS_PY, tables="[servers]\npostgres = 1")


@pytest.mark.parametrize("word", ["a/b", "a-b"])
def test_passes_with_a_folder_of_its_own(lockproof, word):
    assert lockproof.run(client=REDIS_PY, **WORKLOAD).scenario.exists()
