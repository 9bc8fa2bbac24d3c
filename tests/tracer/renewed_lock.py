# SPDX-License-Identifier: Apache-2.0
"""redis-py's lock, unmodified, with a thread that renews it: held for 15 s, with a lease of 10 s."""

import threading
import time

import redis

lock = redis.Redis(port=6379).lock("lock", timeout=10, sleep=0.5, thread_local=False)
lock.acquire()
print("acquired", f"{time.time():.6f}", flush=True)
done = threading.Event()


def renew():
    while not done.wait(3):
        lock.reacquire()


renewing = threading.Thread(target=renew)
renewing.start()
time.sleep(15)
done.set()
renewing.join()
lock.release()
print("released", f"{time.time():.6f}", flush=True)
