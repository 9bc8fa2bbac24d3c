# SPDX-License-Identifier: Apache-2.0
"""A breadth-first search over a model of a scenario, by the number of faults: the fewest faults of each violation."""


class TooLarge(Exception):
    """The model has more states than the limit."""


def search(world, limit):
    """What is violated, as {(property, kind): fewest faults}, and how many states there are.

    world.key() is a canonical value; world.successors() are (world, number of faults that struck on the way).
    """
    found = {}
    seen = set()
    layers = {0: [world]}
    faults = 0
    while layers:
        waiting = layers.pop(faults, [])
        while waiting:
            here = waiting.pop()
            for what in here.violations:
                found.setdefault(what, faults)
            here.violations = ()
            key = here.key()
            if key in seen:
                continue
            seen.add(key)
            if len(seen) > limit:
                raise TooLarge(limit)
            for what in here.ended():
                found.setdefault(what, faults)
            for there, struck in here.successors():
                if struck:
                    layers.setdefault(faults + struck, []).append(there)
                else:
                    waiting.append(there)
        faults += 1
    return found, len(seen)
