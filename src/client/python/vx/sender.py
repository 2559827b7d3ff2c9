"""Requests and their answers as JSON: key put in, refusals raised, tries again where that can do no harm.

Called by the client; calls connections.
"""

from __future__ import annotations

import http.client
import json
import random
import socket
import time
from typing import Any, Optional, Union

from .connections import Answer, Connections
from .errors import VxError, refusal
from .limits import FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS, MAX_TIMEOUT_SECONDS
from .numeric import is_real

TOO_MANY_REQUESTS = 429
SERVICE_UNAVAILABLE = 503


class Sender:
    """Sends to one server. ``timeout_seconds`` bounds each try, but ``is_patient`` none whose time is that of what there
    is to do; ``retries``: how many follow the first."""

    def __init__(
        self,
        server_url: str,
        api_key: Optional[str],
        timeout_seconds: float,
        retries: int,
        *,
        is_patient: bool,
    ) -> None:
        if not is_real(timeout_seconds) or not timeout_seconds > 0:
            raise VxError("timeout must be a number of seconds above 0", "invalid_request")
        if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
            raise VxError("retries must be an integer from 0 on", "invalid_request")
        if api_key is not None and not _is_header_text(api_key):
            raise VxError("api_key must be printable ASCII", "invalid_request")
        self._connections = Connections(server_url, float(min(timeout_seconds, MAX_TIMEOUT_SECONDS)))
        self._key_header = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._retries = retries
        self._is_patient = is_patient

    def send(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        *,
        repeatable: bool = True,
        long: bool = False,
    ) -> Any:
        """The answer's JSON. ``repeatable``: done twice is as done once, so that a lost answer is asked for again.
        ``long``: it takes the server as long as there is to do.

        What is not repeatable is tried again only where the server can't have begun: it refused the connection, or
        the request for coming too soon. A timeout is never tried again. Raises VxError.
        """
        headers = {"Accept": "application/json", **self._key_header}
        if body is not None:
            headers["Content-Type"] = "application/json"
        is_repeat = False
        usual = FIRST_RETRY_SECONDS
        for left in range(self._retries, -1, -1):
            pause = usual * random.uniform(0.9, 1.1)
            usual = min(2 * usual, MAX_RETRY_SECONDS)
            try:
                answer = self._connections.request(
                    method, path, body, headers, fresh=not repeatable, patient=long and self._is_patient
                )
            except socket.timeout as error:
                raise VxError("The server did not answer in time", "timeout") from error
            except (OSError, http.client.HTTPException) as error:
                was_begun = not isinstance(error, ConnectionRefusedError)
                if left == 0 or not isinstance(error, _PASSING) or (was_begun and not repeatable):
                    raise _no_answer(error) from error
                is_repeat = is_repeat or was_begun
            else:
                wanted = _patience(answer, repeatable)
                if left == 0 or wanted is None:
                    return _content(answer, is_repeat)
                pause = max(pause, wanted)
            time.sleep(min(pause, MAX_RETRY_SECONDS))
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        self._connections.close()


def _is_header_text(value: Any) -> bool:
    return isinstance(value, str) and value.isascii() and value.isprintable() and value.strip() != ""


#: What another try may not meet again.
_PASSING = (ConnectionError, http.client.IncompleteRead)


def _no_answer(error: Exception) -> VxError:
    if isinstance(error, http.client.HTTPException) and not isinstance(error, ConnectionError):
        return VxError(f"The server sent no whole answer: {error!r}", "bad_answer")
    return VxError(f"The server can't be reached: {error}", "unreachable")


def _patience(answer: Answer, repeatable: bool) -> Optional[float]:
    """Seconds after which the server would take the request; None where it answered, or asks for too much."""
    is_early = answer.status == TOO_MANY_REQUESTS
    if not is_early and not (repeatable and answer.status == SERVICE_UNAVAILABLE):
        return None
    wanted = answer.headers.get("Retry-After") or "0"
    seconds = float(wanted) if wanted.isascii() and wanted.isdigit() else MAX_RETRY_SECONDS
    return seconds if seconds <= MAX_RETRY_SECONDS else None


def _content(answer: Answer, is_repeat: bool) -> Any:
    """The JSON of an answer that is no refusal. Raises VxError for one that is, or that is no JSON object."""
    try:
        content = _parsed(answer.body)
    except (ValueError, RecursionError) as error:
        if answer.status == http.client.OK:
            raise VxError(f"The answer is no JSON: {error}", "bad_answer", answer.status) from error
        content = None
    if answer.status != http.client.OK:
        refused = refusal(content, answer.status)
        refused.is_repeat = is_repeat
        raise refused
    if not isinstance(content, dict):
        raise VxError("The answer is no JSON object", "bad_answer", answer.status)
    return content


def _parsed(body: bytes) -> Any:
    """The value of JSON text; integers of more digits than Python converts are floats. Raises ValueError, RecursionError."""
    try:
        return json.loads(body)
    except json.JSONDecodeError:
        raise
    except ValueError:
        # Only here: a function for each integer takes its time.
        return json.loads(body, parse_int=_integer)


def _integer(digits: str) -> Union[int, float]:
    try:
        return int(digits)
    except ValueError:
        return float(digits)
