"""Connections to one server: kept open between requests, shared by threads, each request bounded in time and answer.

Called by sender; calls http.client, and dialling for what is beneath it.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
import time
from collections import deque
from email.message import Message
from typing import Any, Iterator, Mapping, Optional, cast
from urllib.parse import urlsplit

from .dialling import dial
from .errors import VxError
from .limits import MAX_ANSWER_BYTES, MAX_IDLE_CONNECTIONS, MAX_TIMEOUT_SECONDS, READ_BYTES
from .timed_socket import TimedSocket


class Answer:
    """An HTTP answer, read to its end."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Connections:
    """All connections to the server at ``server_url``, such as ``http://127.0.0.1:8081``."""

    def __init__(self, server_url: str, timeout_seconds: float) -> None:
        # Errors end in logs, and a URL may have a password in it.
        shown = re.sub("[^/]*@", "...@", repr(server_url))
        if not isinstance(server_url, str):
            raise VxError(f"{shown} is no URL such as http://127.0.0.1:8081", "invalid_request")
        try:
            parts = urlsplit(server_url)
            port = parts.port
            # As the system's resolver will ask for it, and the request line name it.
            (parts.hostname or "").encode("idna")
            parts.path.encode("ascii")
        except ValueError as error:
            raise VxError(f"{shown}: {error}", "invalid_request") from error
        is_plain = parts.hostname and "@" not in parts.netloc and not parts.query and not parts.fragment
        has_gap = not (parts.netloc + parts.path).isprintable() or " " in parts.netloc + parts.path
        if parts.scheme not in ("http", "https") or not is_plain or has_gap:
            raise VxError(f"{shown} is no URL such as http://127.0.0.1:8081", "invalid_request")
        self._tls = ssl.create_default_context() if parts.scheme == "https" else None
        # Asked for none, http.client would take the last group of an IPv6 address for it.
        usual = http.client.HTTP_PORT if self._tls is None else http.client.HTTPS_PORT
        self._address = (parts.hostname or "", usual if port is None else port)
        self._base_path = parts.path.rstrip("/")
        self._timeout_seconds = timeout_seconds
        # Its methods are atomic; a lock could be held by another thread at a fork, and would then stay so.
        self._idle: deque[http.client.HTTPConnection] = deque(maxlen=MAX_IDLE_CONNECTIONS)
        self._owner = os.getpid()

    def request(
        self,
        method: str,
        path: str,
        body: Optional[bytes],
        headers: Mapping[str, str],
        *,
        fresh: bool,
        patient: bool,
    ) -> Answer:
        """One try. ``fresh``: on a connection of its own, where a broken one must not leave in doubt what was done.
        ``patient``: once there is a connection, it may take as long as the server keeps that.

        Raises OSError and http.client.HTTPException as they come.
        """
        deadline = time.monotonic() + self._timeout_seconds
        kept = None if fresh else self._take_idle()
        connection = kept or self._dial(deadline)
        try:
            _timed(connection).deadline = time.monotonic() + MAX_TIMEOUT_SECONDS if patient else deadline
            try:
                connection.request(method, self._base_path + path, body=body, headers=dict(headers))
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a body need not read all of it: its answer may be there.
                pass
            response = connection.getresponse()
            answer = Answer(response.status, response.headers, _read(response))
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._keep(connection)
        return answer

    def close(self) -> None:
        for connection in self._drained():
            connection.close()

    def _dial(self, deadline: float) -> http.client.HTTPConnection:
        host, port = self._address
        connection: http.client.HTTPConnection
        if self._tls is None:
            connection = http.client.HTTPConnection(host, port)
        else:
            connection = http.client.HTTPSConnection(host, port, context=self._tls)
        connection.sock = cast(Any, dial(host, connection.port, self._tls, deadline))
        return connection

    def _take_idle(self) -> Optional[http.client.HTTPConnection]:
        """The one used last that is still open. After a fork none: two processes would read each other's answers."""
        if self._owner != os.getpid():
            self.close()
            self._owner = os.getpid()
        for connection in self._drained():
            if not _timed(connection).has_news():
                return connection
            connection.close()
        return None

    def _drained(self) -> Iterator[http.client.HTTPConnection]:
        while True:
            try:
                connection = self._idle.pop()
            except IndexError:
                return
            yield connection

    def _keep(self, connection: http.client.HTTPConnection) -> None:
        if len(self._idle) < MAX_IDLE_CONNECTIONS:
            self._idle.append(connection)
        else:
            connection.close()


def _timed(connection: http.client.HTTPConnection) -> TimedSocket:
    """What _dial put there."""
    return cast(TimedSocket, connection.sock)


def _read(response: http.client.HTTPResponse) -> bytes:
    """The body, all of it or an exception."""
    pieces = []
    size = 0
    while True:
        piece = response.read1(READ_BYTES)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
        if size > MAX_ANSWER_BYTES:
            raise VxError(f"The answer has more than {MAX_ANSWER_BYTES} bytes", "bad_answer", response.status)
    if response.length:
        raise http.client.IncompleteRead(b"", response.length)
    # Until then the connection takes no further request.
    response.close()
    return b"".join(pieces)
