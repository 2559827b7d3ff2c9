"""What goes wrong, as exceptions. Raised by all modules of this package.

Two refusals have a class of their own; the base class stands for all others, told apart by ``code``.
"""

from __future__ import annotations

import re
from typing import Any, Optional


class VxError(Exception):
    """A request that was refused, or that got no answer.

    ``code`` is the server's, such as ``invalid_query``, ``capacity_exceeded`` or ``unauthorized``; or, where it said
    nothing of sense, ``unreachable``, ``timeout`` or ``bad_answer``. ``status`` is the HTTP status, None without an
    answer. ``is_repeat``: an earlier try's answer was lost on the way, so that the refusal may be of what that one did.
    """

    def __init__(self, message: str, code: str = "internal", status: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.is_repeat = False


class DimensionMismatchError(VxError):
    """A vector's length is not the index's dimension; the message names both."""

    def __init__(self, message: str, code: str = "dimension_mismatch", status: Optional[int] = None) -> None:
        super().__init__(message, code, status)


class InvalidIDError(VxError):
    """An id that is no integer from 0 to 2^53 - 1."""

    def __init__(self, message: str, code: str = "invalid_id", status: Optional[int] = None) -> None:
        super().__init__(message, code, status)


_CLASSES = {"dimension_mismatch": DimensionMismatchError, "invalid_id": InvalidIDError}


def refusal(answer: Any, status: Optional[int]) -> VxError:
    """The error that an answer's body tells, by the shape ``{"error": {"code", "message"}}``.

    Something between client and server may answer in another shape: the status then says enough.
    """
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    if not isinstance(code, str) or not isinstance(message, str):
        return VxError(f"The server answered {status}", "bad_answer", status)
    return _CLASSES.get(code, VxError)(message, code, status)


def placed_in(batch: range, error: VxError) -> VxError:
    """The refusal of a record, with its place in all: its request was the part ``batch`` of them."""
    message, places = re.subn(
        r"(^| \()vectors\[(\d+)",
        lambda found: f"{found[1]}vectors[{batch.start + int(found[2])}",
        str(error),
        count=1,
    )
    # Of one record alone the server tells no place.
    if places == 0 and len(batch) == 1 and batch.start > 0 and error.status == 400:
        place = f"vectors[{batch.start}]"
        is_mismatch = isinstance(error, DimensionMismatchError)
        message = f"{message} ({place})" if is_mismatch else f"{place}: {message}"
    error.args = (message,)
    return error
