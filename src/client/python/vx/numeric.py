"""What counts as a number: Python's own, NumPy's and others that say so. Called by sender and own_index.

Type checkers take no float for a numbers.Real, and would pass over all that follows where that is asked.
"""

from __future__ import annotations

import numbers
from typing import Any


def is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real)


def is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)
