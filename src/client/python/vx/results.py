"""Shapes of what the index answers. Returned by the client; at run time they are plain dicts.

JSON writes whole numbers without a point: what is a float by its meaning is made one here.
"""

from __future__ import annotations

from typing import Any, Iterable, TypedDict

from .errors import VxError


class VectorRecord(TypedDict):
    """A vector as it is stored, each number a float32."""

    id: int
    vector: list[float]
    metadata: dict[str, Any]


class SearchResult(TypedDict):
    """``distance`` is 1 - cosine similarity (0 to 2) or the Euclidean distance, by the index's metric."""

    id: int
    distance: float
    metadata: dict[str, Any]


class ScoredResult(SearchResult):
    """``score`` is what a search with negatives ranks by, the greatest first."""

    score: float


class Backup(TypedDict):
    """``path`` is what ``restore`` takes; ``timestamp`` is ISO 8601 in UTC. ``incremental`` is False also where there
    was nothing to go on from."""

    success: bool
    path: str
    size_bytes: int
    timestamp: str
    incremental: bool


class Restored(TypedDict):
    """``timestamp``: when the backup was made, ISO 8601 in UTC."""

    success: bool
    vector_count: int
    timestamp: str


class Refitted(TypedDict):
    """``reduced_dimension``: numbers in a reduced vector."""

    success: bool
    vector_count: int
    reduced_dimension: int


class _Count(TypedDict):
    vector_count: int
    memory_usage_mb: float
    uptime_seconds: int


class Metrics(_Count, total=False):
    """Memory in megabytes of 10^6 bytes, medians of recent calls in milliseconds; the server may tell more.

    ``reduced_dimension``: numbers in a reduced vector, 0 while vectors are searched as they are. ``fit_progress``: of
    the fit of a model that is under way, 0 to 1.
    """

    search_latency_ms: float
    add_latency_ms: float
    reduced_dimension: int
    fit_progress: float
    fits_total: int


class Health(TypedDict):
    """``uptime`` in seconds."""

    status: str
    version: str
    uptime: float


class Rows(list[dict[str, Any]]):
    """Rows of a query, the first 10,000. ``truncated``: whether there are more."""

    def __init__(self, rows: Iterable[dict[str, Any]], truncated: bool) -> None:
        super().__init__(rows)
        self.truncated = truncated


def holding(answer: Any, name: str, kind: type) -> Any:
    """The answer itself. Raises VxError ``bad_answer`` for one that has no ``name`` of that type: no index gave it."""
    if not isinstance(answer.get(name), kind):
        raise VxError(f"The answer holds no {name}", "bad_answer", 200)
    return answer


def floats(numbers: Any) -> list[float]:
    """Raises VxError ``bad_answer`` for what is no array of numbers."""
    try:
        return [float(number) for number in numbers]
    except (TypeError, ValueError, OverflowError) as error:
        raise VxError(f"The answer holds no vector: {error}", "bad_answer") from error


def ranking(results: Any) -> list[Any]:
    """Raises VxError ``bad_answer`` for what is no list of results."""
    try:
        for result in results:
            if not isinstance(result["id"], int):
                raise TypeError("its id is no integer")
            result["distance"] = float(result["distance"])
            if "score" in result:
                result["score"] = float(result["score"])
        return list(results)
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise VxError(f"The answer holds no results: {error!r}", "bad_answer") from error
