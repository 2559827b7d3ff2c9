"""Which value JSON can't say, and where it stands. Called where the encoder has refused, which says of NaN neither."""

from __future__ import annotations

import math
from typing import Any, Optional


def unwritable(value: Any, name: str) -> Optional[str]:
    """Of the first there is, in the encoder's order; ``name`` is that of the value. None where keys are at fault, or a cycle."""
    waiting = [(name, value)]
    while waiting:
        place, part = waiting.pop()
        if hasattr(part, "tolist"):
            part = part.tolist()
        if isinstance(part, float):
            if not math.isfinite(part):
                return f"{place} is {part}, which JSON can't say"
        elif isinstance(part, dict):
            waiting.extend(reversed([(_member(place, key), inner) for key, inner in part.items()]))
        elif isinstance(part, (list, tuple)):
            waiting.extend(reversed([(f"{place}[{at}]", inner) for at, inner in enumerate(part)]))
        elif part is not None and not isinstance(part, (str, int)):
            return f"{place} is of the type {type(part).__name__}, which JSON can't say"
    return None


def _member(place: str, key: Any) -> str:
    return f"{place}.{key}" if place else str(key)
