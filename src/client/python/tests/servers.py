"""Servers for the tests: a real index, and one that answers whatever a test makes it. Both on loopback alone."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from pathlib import Path

import vx

DIMENSION = 4
COMMAND = os.environ.get("SHOAL_COMMAND") or str(
    Path(__file__).resolve().parents[4] / "dist" / "headless" / "shoal.js"
)


class IndexServer:
    """``shoal vx`` with a data folder of its own, until it is closed."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="vx-test-")
        self.port = 0
        self._process = None
        self.start()

    def start(self):
        """On the port of the earlier start, if there was one."""
        flags = ["--api-port", str(self.port), "--data-dir", self.folder, "--vx-dimension", str(DIMENSION)]
        self._process = subprocess.Popen(
            ["node", COMMAND, "vx", *flags, "--log-level", "warn"], stdout=subprocess.PIPE, text=True
        )
        for line in self._process.stdout:
            if line.startswith("data "):
                break
        running = json.loads(Path(self.folder, "running.json").read_text())
        self.url, self.api_key = running["url"], running["key"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def client(self, **options):
        return vx.Client(self.url, api_key=self.api_key, **options)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def close(self):
        self.kill()
        shutil.rmtree(self.folder)


class ScriptedServer:
    """Reads requests, which it keeps with their bodies, and has ``answer(connection)`` send what it likes; counts
    connections.

    ``answer`` returns whether the connection stays open. ``port`` 0 takes a free one.
    """

    def __init__(self, answer, port=0):
        self._answer = answer
        self._connections = []
        self.connection_count = 0
        self.requests = []
        self.bodies = []
        self._listener = socket.create_server(("127.0.0.1", port))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # Wakes accept, which closing alone does not on Linux.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in self._connections:
            connection.close()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._connections.append(connection)
            self.connection_count += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            with connection, connection.makefile("rb") as incoming:
                while self._read_request(incoming) and self._answer(connection):
                    pass
        except OSError:
            # The client has seen enough, which is what most of these tests are about.
            return

    def _read_request(self, incoming):
        line = incoming.readline()
        length = 0
        for header in iter(incoming.readline, b"\r\n"):
            if not header:
                return False
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        self.bodies.append(incoming.read(length).decode())
        self.requests.append(line.decode().strip())
        return bool(line)


def http(body, status="200 OK", headers=""):
    """An HTTP answer as bytes."""
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}".encode()


def answering(*answers):
    """Sends these one after another, the last one for ever."""
    left = list(answers)

    def answer(connection):
        connection.sendall(left.pop(0) if len(left) > 1 else left[0])
        return True

    return answer
