# SPDX-License-Identifier: Apache-2.0
"""Prints everything by which a program could learn in which run it is, or on which machine."""

import os
import platform
import random
import resource
import socket
import tempfile
import threading
import time
import uuid
from pathlib import Path


def read(path):
    return Path(path).read_text(encoding="utf-8")


def written():
    Path("written").write_text("1", encoding="utf-8")
    return os.stat("written")


SOURCES = {
    "time": time.time, "monotonic": time.monotonic, "perf_counter": time.perf_counter_ns,
    "process_time": time.process_time, "thread_time": time.thread_time, "boottime": lambda: time.clock_gettime(7),
    "pid": os.getpid, "ppid": os.getppid, "tid": threading.get_native_id, "group": os.getpgrp,
    "urandom": lambda: os.urandom(8), "uuid4": uuid.uuid4, "uuid1": uuid.uuid1, "random": random.random,
    "device": lambda: Path("/dev/urandom").open("rb").read(8), "hash": lambda: hash("a"), "id": lambda: id(object()),
    "load": os.getloadavg, "uptime": lambda: read("/proc/uptime"), "stat": lambda: read("/proc/stat"),
    "meminfo": lambda: read("/proc/meminfo"), "cpuinfo": lambda: read("/proc/cpuinfo"),
    "own stat": lambda: read("/proc/self/stat"), "own status": lambda: read("/proc/self/status"),
    "maps": lambda: hash(read("/proc/self/maps")), "boot": lambda: read("/proc/sys/kernel/random/boot_id"),
    "kernel's uuid": lambda: read("/proc/sys/kernel/random/uuid"), "written": written,
    "folder": lambda: os.stat(os.path.dirname(__file__)), "script": lambda: os.stat(__file__),
    "library": lambda: os.stat("/usr/lib"), "temporary": lambda: tempfile.mkstemp()[1], "host": socket.gethostname,
    "network": lambda: read("/proc/net/dev"), "processors": os.cpu_count, "affinity": lambda: os.sched_getaffinity(0),
    "times": os.times, "usage": lambda: resource.getrusage(0), "disk": lambda: os.statvfs("/"),
    "processes": lambda: os.listdir("/proc")[-4:], "io": lambda: read("/proc/self/io"),
    "schedule": lambda: read("/proc/self/schedstat"), "disks": lambda: read("/proc/diskstats"),
    "environment": lambda: sorted(os.environ.items()), "machine": platform.machine,
    "interrupts": lambda: read("/proc/interrupts"), "pages": lambda: read("/proc/self/smaps_rollup"),
    "clock": lambda: read("/sys/class/rtc/rtc0/since_epoch"), "shared": lambda: os.listdir("/dev/shm"),
    "tmp": lambda: os.listdir("/tmp"),
}

for name, source in SOURCES.items():
    try:
        print(name, repr(source()))
    except OSError as error:
        print(name, type(error).__name__)
