"""The class Vx: an index of this process. For users; calls own_process, and has the client's methods."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Optional, Union

from .client import Client
from .errors import VxError
from .limits import OWN_INDEX_TIMEOUT_SECONDS
from .numeric import is_real, is_whole
from .own_process import OwnProcess

IN_MEMORY = ":memory:"
REDUCTIONS = ("PCA", "TSNE", "UMAP")


class _WhereReduced:
    """A method that exists only on an index that reduces its vectors."""

    def __init__(self, method: Any) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, index: Optional[Vx], owner: Optional[type] = None) -> Any:
        if index is not None and not index.reduces:
            name = self._method.__name__
            raise AttributeError(f"{name} exists only where enable_dim_reduction is True")
        return self._method.__get__(index, owner)


class Vx(Client):
    """A vector index that belongs to this process, with all methods of Client.

    With ``enable_dim_reduction`` vectors are searched with fewer dimensions: once enough are there, a model is fitted
    to them, by which ``add`` and queries are reduced from then on. ``get`` gives vectors as they were added.
    ``reduce_vectors`` and ``refit`` exist only then. ``backup`` writes to any path, and ``restore`` reads from any;
    relative ones begin in the folder of scheduled backups, which for an index in memory goes with it.

    It runs in a child process (Node.js 20.19 or newer), which ends with ``close``, with the ``with`` block, when the
    object is forgotten, and however this process ends. What was added to an index with a ``storage_path`` is durable;
    of one in memory nothing stays. After a fork the index is the parent's: the forked process can use it while that
    one lives.
    """

    _usual_timeout_seconds = OWN_INDEX_TIMEOUT_SECONDS

    def __init__(
        self,
        dimension: int,
        storage_path: Union[str, os.PathLike[str]] = IN_MEMORY,
        distance: str = "cosine",
        max_elements: int = 1000000,
        hnsw_m: int = 16,
        hnsw_ef_construct: int = 200,
        hnsw_ef_search: int = 100,
        batch_size: int = 1000,
        persist_interval: str = "5m",
        backup_interval: str = "1h",
        backup_path: Optional[Union[str, os.PathLike[str]]] = None,
        backup_compression: bool = True,
        max_backups: int = 5,
        encryption_enabled: Optional[bool] = None,
        encryption_key: str = "",
        enable_dim_reduction: bool = False,
        dim_reduction_method: str = "PCA",
        dim_reduction_target: Optional[int] = None,
        dim_reduction_adaptive: bool = False,
        dim_reduction_min_variance: float = 0.95,
        fit_after: Optional[int] = None,
        quantization: str = "int8",
    ) -> None:
        """Opens the index, or makes it.

        ``dimension``: numbers in a vector. ``storage_path``: a folder. ``distance``: "cosine" or "l2".
        ``max_elements``: most vectors, 0 for any number. ``hnsw_m``: links a vector in the graph;
        ``hnsw_ef_construct``, ``hnsw_ef_search``: candidates of an insertion and of a search. ``batch_size``: records
        of a batch whose metadata is written in one go. ``persist_interval``: how often the index is written as a whole,
        such as "5m"; ``backup_interval``: how often it is backed up into ``backup_path``, by default a folder in
        ``storage_path``, for an index in memory none; ``max_backups``: how many of these are kept.
        ``encryption_key``: at least 32 bytes, used where ``encryption_enabled`` is True, which is to be said with a key,
        or False. ``quantization``: "int8", or "none" for less memory and slower searches.
        ``dim_reduction_target``: dimensions that are left, by default half; with ``dim_reduction_adaptive`` as few as
        explain ``dim_reduction_min_variance`` (0 to 1) of the variance, with distance "cosine" at least two, since of
        one number it tells no more than the sign. ``fit_after``: vectors that the model waits for, by default 256; at
        least twice the target. Until then searches are exact.

        Raises VxError: ``invalid_request`` for a wrong parameter and where what is stored reduces vectors otherwise,
        ``encryption_key_invalid``, ``dimension_mismatch`` where another dimension is stored, ``reduction_disabled``
        where vectors are to be reduced and can't be, ``unavailable`` where Node.js or ``shoal`` is missing.
        """
        #: Whether vectors are searched with fewer dimensions.
        self.reduces = enable_dim_reduction
        if not is_whole(dimension):
            raise VxError("dimension is no whole number", "invalid_request")
        if str(dim_reduction_method).upper() not in REDUCTIONS:
            raise VxError(f"dim_reduction_method is one of {', '.join(REDUCTIONS)}", "invalid_request")
        least = dim_reduction_min_variance
        if not is_real(least) or not 0.0 <= least <= 1.0:
            raise VxError("dim_reduction_min_variance lies between 0.0 and 1.0", "invalid_request")
        if encryption_key and encryption_enabled is None:
            # Who gives one believes that nothing is stored in the clear.
            complaint = "encryption_key is used where encryption_enabled is True; say True or False"
            raise VxError(complaint, "invalid_request")
        if not _path("storage_path", storage_path):
            raise VxError("storage_path is empty", "invalid_request")
        settings: dict[str, Any] = {
            "dimension": dimension,
            "storage_path": _path("storage_path", storage_path),
            "distance": distance,
            "max_elements": max_elements,
            "hnsw_m": hnsw_m,
            "hnsw_ef_construct": hnsw_ef_construct,
            "hnsw_ef_search": hnsw_ef_search,
            "quantization": quantization,
            "batch_size": batch_size,
            "persist_interval": persist_interval,
            "backup_interval": backup_interval,
            "backup_path": None if backup_path is None else _path("backup_path", backup_path),
            "backup_compression": backup_compression,
            "max_backups": max_backups,
            "encryption_enabled": encryption_enabled,
            "encryption_key": encryption_key,
            "enable_dim_reduction": enable_dim_reduction,
        }
        if enable_dim_reduction:
            settings.update(
                dim_reduction_method=dim_reduction_method,
                dim_reduction_target=max(1, dimension // 2) if dim_reduction_target is None else dim_reduction_target,
                dim_reduction_adaptive=dim_reduction_adaptive,
                dim_reduction_min_variance=dim_reduction_min_variance,
                fit_after=fit_after,
            )
        self._process = OwnProcess(
            {f"VX_{name.upper()}": _setting(name, value) for name, value in settings.items() if value is not None}
        )
        super().__init__(self._process.url, api_key=self._process.key)
        if enable_dim_reduction:
            self._require_reduction()

    if not TYPE_CHECKING:
        reduce_vectors = _WhereReduced(Client.reduce_vectors)
        refit = _WhereReduced(Client.refit)

    def close(self) -> None:
        """Ends the index's process, once all is stored. Further calls raise VxError ``unavailable``."""
        super().close()
        self._process.stop()

    @staticmethod
    def _closed() -> VxError:
        return VxError("The index is closed", "unavailable")

    def _require_reduction(self) -> None:
        """An index that was asked to reduce and can't must not keep vectors as they are, unsaid."""
        try:
            self.reduce_vectors([])
        except BaseException:
            self.close()
            raise

    def _send(self, method: str, path: str, body: Optional[bytes] = None, **options: bool) -> Any:
        if self._process.is_stopped:
            raise self._closed()
        try:
            return super()._send(method, path, body, **options)
        except VxError as error:
            if error.code != "unreachable":
                raise
            end = self._closed() if self._process.is_stopped else self._process.sad_end()
            if end is None:
                raise
            raise end from error


def _path(name: str, path: Any) -> str:
    try:
        return os.fsdecode(path)
    except TypeError as error:
        raise VxError(f"{name}: {error}", "invalid_request") from error


def _setting(name: str, value: Any) -> str:
    """As the environment holds it; what it can't hold is refused unseen, since it may be a key."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str) and not is_real(value):
        raise VxError(f"{name} can't be of the type {type(value).__name__}", "invalid_request")
    text = str(value)
    try:
        held: Optional[bytes] = os.fsencode(text)
    except UnicodeEncodeError:
        held = None
    if held is None or b"\0" in held:
        raise VxError(f"{name} holds a character that no setting can", "invalid_request")
    return text
