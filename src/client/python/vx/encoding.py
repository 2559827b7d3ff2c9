"""Python values as JSON text. Called by the client.

A vector is any iterable of numbers, or what knows ``tolist``: NumPy and ``array`` arrays, and tensors. What JSON can't
say is refused here with the code that the server gives it; the rest is the server's to judge.
"""

from __future__ import annotations

import json
import operator
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence, Union

from .errors import InvalidIDError, VxError
from .limits import MAX_ID
from .unwritable import unwritable

#: As many numbers as the index's dimension, shape ``[dimension]``; they are kept as float32.
Vector = Union[Sequence[float], Iterable[float], Any]
Metadata = Mapping[str, Any]


def _plain(value: Any) -> Any:
    """A NumPy number or array as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} can't be written as JSON")


_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)


def json_text(value: Any, code: str = "invalid_request", name: str = "") -> str:
    """Raises VxError ``code`` for what JSON can't say: NaN, infinity, other types, cycles. ``name``: what the value is called."""
    try:
        return _encoder.encode(value)
    except RecursionError as error:
        raise VxError(str(error), code) from error
    except (TypeError, ValueError) as error:
        is_cycle = "Circular" in str(error)
        raise VxError((not is_cycle and unwritable(value, name)) or str(error), code) from error


def json_bytes(text: str) -> bytes:
    """Raises VxError ``invalid_request`` for text with half a surrogate pair, which UTF-8 can't hold."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise VxError(str(error), "invalid_request") from error


def vector_text(vector: Vector, name: str = "vector") -> str:
    """Raises VxError ``invalid_vector`` for what is no vector, or holds NaN or infinity."""
    if hasattr(vector, "tolist"):
        return json_text(vector.tolist(), "invalid_vector", name)
    if isinstance(vector, (str, bytes, Mapping)) or not isinstance(vector, Iterable):
        raise VxError(f"A vector is an array of numbers, not {type(vector).__name__}", "invalid_vector")
    return json_text(list(vector), "invalid_vector", name)


def vectors_text(vectors: Iterable[Vector], name: str = "vectors") -> str:
    """Vectors of shape ``[count, dimension]``, as rows of a matrix or one by one."""
    if not isinstance(vectors, Iterable):
        raise VxError("Vectors are an array of arrays of numbers", "invalid_vector")
    texts = (vector_text(vector, f"{name}[{at}]") for at, vector in enumerate(vectors))
    return f"[{','.join(texts)}]"


def checked_id(value: Any) -> int:
    """The id as an integer. Raises InvalidIDError, also for True and for 1.0 or "1", which are none."""
    if not isinstance(value, bool):
        try:
            number = operator.index(value)
        except TypeError:
            number = -1
        if 0 <= number <= MAX_ID:
            return number
    raise InvalidIDError(f"An id is an integer from 0 to {MAX_ID}")


def record_text(id: Any, vector: Vector, metadata: Optional[Metadata] = None) -> str:
    """A record as the server takes it. Raises VxError for an id, vector or metadata that is none."""
    text = f'{{"id":{checked_id(id)},"vector":{vector_text(vector)}'
    if metadata is None:
        return text + "}"
    if not isinstance(metadata, Mapping) or not all(isinstance(key, str) for key in metadata):
        raise VxError("Metadata is a dict with text as keys", "invalid_request")
    return f'{text},"metadata":{json_text(dict(metadata), name="metadata")}}}'


def batch_bodies(records: Iterable[Mapping[str, Any]], max_bytes: int) -> Iterator[tuple[range, bytes]]:
    """Bodies of batch requests, each of at most ``max_bytes`` or one record, after the places of its records. Read as
    they are sent, so that a generator of any length is never held whole."""
    if not isinstance(records, Iterable):
        raise VxError("Vectors are an array of records", "invalid_request")
    waiting: list[bytes] = []
    first, size = 0, len(_batch([]))
    for at, record in enumerate(records):
        if not isinstance(record, Mapping) or "id" not in record or "vector" not in record:
            raise VxError(f"vectors[{at}] must have an id and a vector", "invalid_request")
        try:
            text = json_bytes(_record_text(record))
        except VxError as error:
            raise type(error)(f"vectors[{at}]: {error}", error.code) from error
        if waiting and size + len(text) > max_bytes:
            yield range(first, at), _batch(waiting)
            waiting, first, size = [], at, len(_batch([]))
        waiting.append(text)
        size += len(text) + 1
    if waiting:
        yield range(first, first + len(waiting)), _batch(waiting)


def _record_text(record: Mapping[Any, Any]) -> str:
    """With the names of further fields, for the server to refuse one whose sender means metadata."""
    text = record_text(record["id"], record["vector"], record.get("metadata"))
    further = {name: True for name, value in record.items() if value is not None and _is_further(name)}
    return f"{text[:-1]},{json_text(further)[1:]}" if further else text


def _is_further(name: Any) -> bool:
    return isinstance(name, str) and name not in ("id", "vector", "metadata")


def _batch(records: list[bytes]) -> bytes:
    return b'{"vectors":[' + b",".join(records) + b"]}"
