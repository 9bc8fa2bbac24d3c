# SPDX-License-Identifier: Apache-2.0
# redis-py's own Lock, in virtual time. Debian: apt-get install python3-pytest python3-redis
CLIENT = "../clients/redis_py.py"


def test_no_pause_makes_it_release_the_lock_of_another(lockproof):
    lockproof.explore(client=CLIENT, faults=["pause"], lease="10s", hold="6s").holds("owner-release")


def test_a_pause_beyond_the_lease_lets_two_in(lockproof):
    lockproof.explore(client=CLIENT, faults=["pause"], lease="10s", hold="6s").violates("mutual-exclusion", "outlived")
