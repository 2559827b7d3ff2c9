"""Where the program is that runs an index: Node.js and ``shoal``. Called by own_process.

In this order: what ``SHOAL_COMMAND`` names, ``shoal`` on the PATH, and the build in the checkout that this package
lies in or was installed from (PEP 610 has pip write that down).
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Optional
from urllib.parse import urlsplit
from urllib.request import url2pathname

from .errors import VxError

DISTRIBUTION = "shoal-vx"
BUILT_COMMAND = Path("dist", "headless", "shoal.js")
OLDEST_NODE = (20, 19)


def find_command() -> list[str]:
    """The words that a command line begins with. Raises VxError ``unavailable``, saying what is missing."""
    node = shutil.which("node")
    if node is None:
        raise VxError(
            "vx.Vx runs its index in Node.js 20.19 or newer, and there is no `node` on the PATH",
            "unavailable",
        )
    command = os.environ.get("SHOAL_COMMAND") or shutil.which("shoal") or _in_checkout()
    if command is None:
        raise VxError(
            "vx.Vx needs the command `shoal`: on the PATH, built in the checkout that vx comes from (npm run build), "
            "or named by SHOAL_COMMAND",
            "unavailable",
        )
    return [node, command] if command.endswith((".js", ".cjs", ".mjs")) else [command]


def old_node() -> Optional[str]:
    """The version of the Node.js on the PATH if it is too old, for the message of a start that failed."""
    printed = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)", printed)
    is_old = version is not None and tuple(map(int, version.groups())) < OLDEST_NODE
    return printed.strip() if is_old else None


def _in_checkout() -> Optional[str]:
    for start in (Path(__file__).resolve().parent, _installed_from()):
        for folder in start.parents if start else ():
            if (folder / BUILT_COMMAND).is_file():
                return str(folder / BUILT_COMMAND)
    return None


def _installed_from() -> Optional[Path]:
    try:
        origin = importlib.metadata.distribution(DISTRIBUTION).read_text("direct_url.json")
    except importlib.metadata.PackageNotFoundError:
        return None
    url = urlsplit(json.loads(origin or "{}").get("url", ""))
    return Path(url2pathname(url.path)) if url.scheme == "file" else None
