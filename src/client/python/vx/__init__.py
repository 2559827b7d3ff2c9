"""Shoal's vector index for Python: ``Client`` for one behind HTTP, ``Vx`` for one of this process."""

from .client import Client
from .errors import DimensionMismatchError, InvalidIDError, VxError
from .own_index import Vx

__all__ = ["Client", "DimensionMismatchError", "InvalidIDError", "Vx", "VxError"]
