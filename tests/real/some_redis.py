# SPDX-License-Identifier: Apache-2.0
"""Redis servers for tests that lockproof shall not know of, and what only looks like one."""
import contextlib
import ctypes
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def die_with_parent():
    """In a child: a test that is killed leaves no server behind."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


class Connection:
    """One connection that speaks Redis's protocol."""

    def __init__(self, address):
        kind = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(kind)
        self.socket.settimeout(10)
        self.socket.connect(address)
        self.file = self.socket.makefile("rb")

    def close(self):
        self.file.close()
        self.socket.close()

    def ask(self, *words):
        raw = [word if isinstance(word, bytes) else str(word).encode() for word in words]
        self.socket.sendall(b"*%d\r\n" % len(raw) + b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in raw))
        return self.read()

    def read(self):
        line = self.file.readline().rstrip(b"\r\n")
        kind, rest = line[:1], line[1:]
        if kind in (b"+", b"-"):
            return rest.decode()
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        assert kind == b"*", line
        return [self.read() for _ in range(int(rest))]


class Server:
    """A redis-server on a free port and on a Unix socket, in a folder of its own."""

    def __init__(self, *arguments, password=None):
        assert shutil.which("redis-server"), "there is no redis-server"
        self.folder = tempfile.mkdtemp(prefix="some-redis-")
        self.port, self.path = free_port(), f"{self.folder}/s"
        self.address = f"127.0.0.1:{self.port}"
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--unixsocket", self.path, "--save",
                 "", "--dir", self.folder, "--logfile", f"{self.folder}/log", *arguments]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent)
        give_up = time.monotonic() + 10
        while True:
            with contextlib.suppress(OSError):
                self.own = Connection(self.path)
                break
            assert time.monotonic() < give_up, pathlib.Path(f"{self.folder}/log").read_text(encoding="utf-8")
            time.sleep(0.005)
        if password:
            assert self.own.ask("AUTH", password) == "OK"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.own.close()
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)

    def runs(self):
        return self.process.poll() is None and self.own.ask("PING") == "PONG"

    def everything(self):
        """All keys with what is in them and when they end."""
        keys = sorted(self.own.ask("KEYS", "*"))
        return {key: (self.own.ask("DUMP", key), self.own.ask("PEXPIRETIME", key)) for key in keys}

    def commands(self):
        """The names of all commands that were run so far."""
        lines = self.own.ask("INFO", "commandstats").decode().splitlines()
        return {line.split(":")[0].removeprefix("cmdstat_") for line in lines if line.startswith("cmdstat_")}


class Watched:
    """What a server is asked meanwhile, by MONITOR: `lines`, each a list of words, with those inside of scripts."""

    def __init__(self, server, password=None):
        self.server, self.lines = server, []
        self.connection = Connection(server.path)
        if password:
            self.connection.ask("AUTH", password)
        assert self.connection.ask("MONITOR") == "OK"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.own.ask("ECHO", "the end of it")
        while True:
            line = self.connection.read()
            if "the end of it" in line:
                break
            origin, _, rest = line.partition("] ")
            own = "unix:" in origin and "lua" not in origin
            self.lines.append((own, [word.replace('\\"', '"') for word in rest[1:-1].split('" "')]))
        self.connection.close()


@contextlib.contextmanager
def somebody(answer, first=b""):
    """Listens on a port, says `first`, and answers whatever comes with `answer` (None: never; empty: hangs up)."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(8)
    seen = []

    def serve(peer):
        with contextlib.suppress(OSError), peer:
            peer.sendall(first)
            while asked := peer.recv(65536):
                seen.append(asked)
                if answer == b"":
                    return
                if answer is not None:
                    peer.sendall(answer(asked) if callable(answer) else answer)

    def accept():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", seen
    finally:
        listener.close()
