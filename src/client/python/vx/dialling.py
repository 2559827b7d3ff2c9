"""A new connection to a server, made within the time that its request has. Called by connections.

http.client gives each address of a name, and the handshake of TLS after them, the whole of a request's time.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from typing import Any, Optional

from .limits import KEEP_ALIVE_SECONDS
from .timed_socket import TimedSocket


def dial(host: str, port: int, tls: Optional[ssl.SSLContext], deadline: float) -> TimedSocket:
    """``deadline`` by time.monotonic. Raises OSError, socket.timeout of it once that is over."""
    raw = _connect(host, port, deadline)
    try:
        # Head and body of a request are sent one after the other, and none is to wait for the other's arrival.
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _keep_alive(raw)
        if tls is not None:
            raw.settimeout(_left(deadline))
            raw = tls.wrap_socket(raw, server_hostname=host)
    except BaseException:
        raw.close()
        raise
    return TimedSocket(raw)


def _keep_alive(raw: socket.socket) -> None:
    """A patient request would wait for weeks for a server whose machine is gone, since nothing more comes from there."""
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    # Linux and Windows name it one way, macOS the other.
    option = getattr(socket, "TCP_KEEPIDLE", None) or getattr(socket, "TCP_KEEPALIVE", None)
    if option is not None:
        raw.setsockopt(socket.IPPROTO_TCP, option, KEEP_ALIVE_SECONDS)


def _connect(host: str, port: int, deadline: float) -> socket.socket:
    """To the first address that answers; each has its share of the time left, so that a silent one leaves some."""
    found = _addresses(host, port, deadline)
    while True:
        family, kind, protocol, _, address = found.pop(0)
        share = _left(deadline) / (len(found) + 1)
        try:
            return _connected(socket.socket(family, kind, protocol), address, share)
        except OSError:
            if not found:
                raise


def _addresses(host: str, port: int, deadline: float) -> list[Any]:
    """All addresses of a name. The system's resolver knows no timeout: one that is silent is left to a thread of its own."""
    outcome: list[Any] = []

    def resolve() -> None:
        try:
            outcome.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            outcome.append(error)

    resolving = threading.Thread(target=resolve, name="vx-resolver", daemon=True)
    resolving.start()
    resolving.join(_left(deadline))
    if not outcome:
        raise socket.timeout("timed out")
    if isinstance(outcome[0], Exception):
        raise outcome[0]
    return list(outcome[0])


def _connected(raw: socket.socket, address: Any, seconds: float) -> socket.socket:
    try:
        raw.settimeout(seconds)
        raw.connect(address)
    except BaseException:
        raw.close()
        raise
    return raw


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise socket.timeout("timed out")
    return left
