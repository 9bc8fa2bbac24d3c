# SPDX-License-Identifier: Apache-2.0
"""Bounds in seconds on a machine that another process may have for a while."""
import time

TRIES = 3


def best_time(call, most):
    """The call's result and seconds, of the first call within `most` seconds, else of the last of three."""
    for _ in range(TRIES):
        begin = time.monotonic()
        result = call()
        took = time.monotonic() - begin
        if took < most:
            break
    return result, took
