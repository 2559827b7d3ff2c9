"""The client of the index's HTTP API. For users, and the base of the class Vx; calls encoding and sender."""

from __future__ import annotations

import os
from typing import Any, Iterable, Mapping, Optional, TypeVar, Union

from .encoding import (
    Metadata,
    Vector,
    batch_bodies,
    checked_id,
    json_bytes,
    json_text,
    record_text,
    vector_text,
    vectors_text,
)
from .errors import VxError, placed_in
from .limits import MAX_REQUEST_BYTES, USUAL_TIMEOUT_SECONDS
from .results import (
    Backup,
    Health,
    Metrics,
    Refitted,
    Restored,
    Rows,
    ScoredResult,
    SearchResult,
    VectorRecord,
    floats,
    holding,
    ranking,
)
from .sender import Sender

Opened = TypeVar("Opened", bound="Client")


class Client:
    """A vector index behind HTTP, such as ``Client("http://127.0.0.1:8081", api_key=key)``.

    Every method raises VxError, or DimensionMismatchError or InvalidIDError of it. Vectors may be lists, arrays or
    whatever yields numbers. One client serves any number of threads, and forked processes too.
    """

    _usual_timeout_seconds = USUAL_TIMEOUT_SECONDS

    def __init__(
        self,
        server_url: str,
        api_key: Optional[str] = None,
        timeout: Optional[float] = None,
        retries: int = 3,
    ) -> None:
        """``timeout``: seconds that one try may take in all; by default 30, and with batches, backups, restores and
        ``refit`` as long as the server is at work. ``retries``: further tries of a request that is lost on the way,
        only where a second one does no harm."""
        seconds = self._usual_timeout_seconds if timeout is None else timeout
        self._sender = Sender(server_url, api_key, seconds, retries, is_patient=timeout is None)

    def __enter__(self: Opened) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connections that are kept open. A further request opens others."""
        self._sender.close()

    def health(self) -> Health:
        """Whether the server runs; needs no key."""
        answer: Health = holding(self._send("GET", "/health"), "status", str)
        return answer

    def add(self, id: int, vector: Vector, metadata: Optional[Metadata] = None) -> None:
        """Adds a vector, in place of what the id held. It is durable then, and found by the next search."""
        holding(self._post("/vectors", record_text(id, vector, metadata)), "success", bool)

    def batch_add(self, vectors: Iterable[Mapping[str, Any]]) -> None:
        """Adds records ``{"id", "vector", "metadata"}`` from a list or a generator.

        Up to 16 MiB of JSON go in one request, all of it or none; more is sent in several, one after another, and a
        refusal leaves what went before.
        """
        for part, body in batch_bodies(vectors, MAX_REQUEST_BYTES):
            try:
                holding(self._send("POST", "/vectors/batch", body, long=True), "success", bool)
            except VxError as error:
                raise placed_in(part, error)

    def get(self, id: int) -> Optional[VectorRecord]:
        """None if there is no such vector."""
        try:
            record = self._send("GET", f"/vectors/{checked_id(id)}")
        except VxError as error:
            if _is_missing(error):
                return None
            raise
        return {
            "id": holding(record, "id", int)["id"],
            "vector": floats(record.get("vector")),
            "metadata": record.get("metadata"),
        }

    def delete(self, id: int) -> Optional[bool]:
        """False if there was no such vector, None where that can't be known: the answer of a try was lost on the way,
        and the next one found no vector, which the first may have deleted."""
        try:
            answer = self._send("DELETE", f"/vectors/{checked_id(id)}")
        except VxError as error:
            if _is_missing(error):
                return None if error.is_repeat else False
            raise
        return bool(holding(answer, "success", bool)["success"])

    def search(
        self, vector: Vector, k: int = 10, page: Optional[int] = None, page_size: Optional[int] = None
    ) -> list[SearchResult]:
        """The k nearest, or one page of that ranking; pages are numbered from 1, past the end they are empty."""
        return self._results("/search", vector_text(vector), k=k, page=page, page_size=page_size)

    def hybrid_search(
        self,
        vector: Vector,
        k: int = 10,
        filter: str = "",
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> list[SearchResult]:
        """The k nearest whose metadata an SQL expression is true for.

        ``filter``: such as ``category = 'science' AND rating > 4``.
        """
        return self._results(
            "/search/hybrid", vector_text(vector), k=k, filter=filter, page=page, page_size=page_size
        )

    def search_with_negatives(
        self,
        positive_vector: Vector,
        negative_vectors: Iterable[Vector] = (),
        k: int = 10,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> list[ScoredResult]:
        """The k best near the positive and away from the negatives, shape ``[count, dimension]``; best score first."""
        rest = _fields(k=k, page=page, page_size=page_size)
        vectors = f'"positive_vector":{vector_text(positive_vector, "positive_vector")}'
        negatives = f'"negative_vectors":{vectors_text(negative_vectors, "negative_vectors")}'
        return ranking(self._list("results", "/search/negatives", f"{{{vectors},{negatives}{rest}}}"))

    def faceted_search(
        self,
        vector: Vector,
        k: int = 10,
        facets: Optional[Mapping[str, Any]] = None,
        page: Optional[int] = None,
        page_size: Optional[int] = None,
    ) -> list[SearchResult]:
        """The k nearest whose metadata has every value of ``facets``, or an array that contains it."""
        wanted = {} if facets is None else facets
        if not isinstance(wanted, Mapping):
            raise VxError("Facets are a dict of names and values", "invalid_request")
        return self._results(
            "/search/faceted", vector_text(vector), k=k, facets=dict(wanted), page=page, page_size=page_size
        )

    def multi_vector_search(self, vectors: Iterable[Vector], k: int = 10) -> list[list[SearchResult]]:
        """The k nearest of each of the vectors, shape ``[count, dimension]``: one list a vector."""
        body = f'{{"vectors":{vectors_text(vectors)}{_fields(k=k)}}}'
        return [ranking(found) for found in self._list("results", "/search/multi", body)]

    def query_metadata(self, query: str) -> Rows:
        """Rows of one SELECT over the table ``metadata``: columns ``id``, ``json``, and one for each key.

        The list holds the first 10,000, and its ``truncated`` is True where there are more. Integers of more than 64
        bits come rounded: ``json -> 'key'`` is the text of one as it was added.
        """
        answer = self._post("/metadata/query", json_text({"query": query}))
        # Older servers do not say.
        return Rows(_list_in(answer, "results"), answer.get("truncated") is True)

    def reduce_vectors(self, vectors: Iterable[Vector]) -> list[list[float]]:
        """The vectors, shape ``[count, dimension]``, with fewer dimensions; added nowhere.

        Raises VxError ``reduction_disabled`` where the index reduces none, and ``conflict`` until enough vectors are
        there to fit its model to.
        """
        reduced = self._list("vectors", "/reduce", f'{{"vectors":{vectors_text(vectors)}}}')
        return [floats(vector) for vector in reduced]

    def refit(self) -> Refitted:
        """Fits a new model of dimensionality reduction to the vectors that are there now.

        It is in use when this returns; searches and additions go on meanwhile. Raises VxError ``timeout`` where it
        takes longer than a ``timeout`` that was given, and is then in use when ``fits_total`` of the metrics has grown.
        """
        refitted = self._send("POST", "/admin/refit", repeatable=False, long=True)
        fitted: Refitted = holding(refitted, "reduced_dimension", int)
        return fitted

    def backup(
        self,
        path: Optional[Union[str, os.PathLike[str]]] = None,
        incremental: bool = False,
        compress: Optional[bool] = None,
    ) -> Backup:
        """Writes an archive into the server's folder of backups: at ``path`` in it, or under a name of its own.

        ``incremental``: only what changed since the newest one. ``compress``: by default as the server is set.
        """
        fields = _given(path=_path_text(path), incremental=incremental, compress=compress)
        made = self._post("/admin/backup", json_text(fields), repeatable=False, long=True)
        backup: Backup = holding(made, "path", str)
        return backup

    def restore(self, path: Union[str, os.PathLike[str]]) -> Restored:
        """Makes the index what an archive holds. Where that fails, the index is what it was.

        Raises VxError ``backup_not_found`` or ``backup_corrupt``, and DimensionMismatchError.
        """
        text = json_text({"path": _path_text(path)})
        made = self._post("/admin/restore", text, repeatable=False, long=True)
        restored: Restored = holding(made, "vector_count", int)
        return restored

    def metrics(self) -> Metrics:
        """What the index holds and how fast it is; units are told at Metrics."""
        answer: Metrics = holding(self._send("GET", "/admin/metrics"), "vector_count", int)
        return answer

    def _results(self, path: str, vector: str, **fields: Any) -> list[Any]:
        return ranking(self._list("results", path, f'{{"vector":{vector}{_fields(**fields)}}}'))

    def _list(self, name: str, path: str, text: str) -> list[Any]:
        return _list_in(self._post(path, text), name)

    def _post(self, path: str, text: str, **options: bool) -> Any:
        return self._send("POST", path, json_bytes(text), **options)

    def _send(self, method: str, path: str, body: Optional[bytes] = None, **options: bool) -> Any:
        """Every request goes through here."""
        return self._sender.send(method, path, body, **options)


def _is_missing(error: VxError) -> bool:
    """Whether an index says that there is no such vector: what stands between may have the same words for an outage."""
    return error.code == "not_found" and error.status == 404


def _list_in(answer: Any, name: str) -> list[Any]:
    found = answer.get(name)
    if not isinstance(found, list):
        raise VxError(f"The answer holds no list of {name}", "bad_answer", 200)
    return found


def _path_text(path: Any) -> Any:
    """What is no path is the server's to judge."""
    return os.fspath(path) if isinstance(path, os.PathLike) else path


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _fields(**fields: Any) -> str:
    """Further members of a JSON object that has one already."""
    given = _given(**fields)
    return "," + json_text(given)[1:-1] if given else ""
