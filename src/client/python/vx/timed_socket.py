"""A socket whose waits all end by one deadline. Put under an http.client connection by connections.

http.client bounds single waits only, so that a server which sends a byte now and then would hold a request for ever;
here each wait gets what is left of the request's time.
"""

from __future__ import annotations

import io
import select
import socket
import time
from typing import Any, Optional


class TimedSocket:
    """What http.client asks of a socket; ``deadline`` by time.monotonic."""

    def __init__(self, raw: socket.socket) -> None:
        self._raw = raw
        self.deadline = time.monotonic()

    def sendall(self, data: bytes) -> None:
        self.arm()
        self._raw.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self, self._raw.makefile("rb", buffering=0)))

    def arm(self) -> None:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise socket.timeout("timed out")
        self._raw.settimeout(left)

    def has_news(self) -> bool:
        """On an idle connection: the server's end of it, or bytes that no request asked for."""
        if hasattr(select, "poll"):
            poll = select.poll()
            poll.register(self._raw, select.POLLIN)
            return bool(poll.poll(0))
        return bool(select.select([self._raw], [], [], 0)[0])

    def close(self) -> None:
        self._raw.close()


class _TimedReader(io.RawIOBase):
    """The reading side of a TimedSocket; keeps the socket open as ``makefile`` of a socket does."""

    def __init__(self, timed: TimedSocket, raw: io.RawIOBase) -> None:
        super().__init__()
        self._timed = timed
        self._raw = raw

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> Optional[int]:
        self._timed.arm()
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()
