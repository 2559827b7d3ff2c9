"""The process that an index of this program runs in: ``shoal vx --child``. Called by the class Vx.

It listens on a free loopback port for one random key, which goes over its stdin. It ends when its stdin does, and the
system closes that however this process ends; src/headless/main-vx-child.ts tells the other side.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import threading
import weakref
from collections import deque
from typing import IO, Any, Mapping, Optional

from .command import find_command, old_node
from .errors import VxError, refusal
from .limits import END_SECONDS, MAX_LOG_LINES, MAX_READY_BYTES, STOP_SECONDS

USAGE_EXIT_CODE = 2


class OwnProcess:
    """A running index with the settings given as ``{"VX_DIMENSION": "3"}``; raises VxError where it doesn't start."""

    def __init__(self, settings: Mapping[str, str]) -> None:
        self._owner = os.getpid()
        self.key = secrets.token_urlsafe(32)
        self._log: deque[str] = deque(maxlen=MAX_LOG_LINES)
        self._process = _start(settings)
        self._logging = threading.Thread(
            target=_keep_lines, args=(self._process.stderr, self._log), name="vx-log", daemon=True
        )
        self._logging.start()
        ready: Any = {}
        try:
            ready = self._greet()
        finally:
            folder = ready.get("folder")
            # Called by stop, when the object is forgotten, and at the end of this process.
            self._stop = weakref.finalize(self, _stop, self._process, self._logging, self._owner, folder)
            if "url" not in ready:
                self._stop()
        if "url" not in ready:
            raise self._failure(ready)
        self.url: str = ready["url"]
        _running.add(self)

    def stop(self) -> None:
        """Waits until all is stored and the process has ended."""
        self._stop()

    @property
    def is_stopped(self) -> bool:
        return not self._stop.alive

    @property
    def pid(self) -> int:
        return self._process.pid

    def sad_end(self) -> Optional[VxError]:
        """Why it ended, if it did so without being told to."""
        if self.is_stopped or os.getpid() != self._owner:
            return None
        try:
            # Its connections end a moment before it does.
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        self._logging.join(STOP_SECONDS)
        last = "\n".join(self._log)
        return VxError(f"The index's process ended ({self._process.returncode}):\n{last}", "unavailable")

    def let_go(self) -> None:
        """In a forked process: the index is its parent's, and must end with that one."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _greet(self) -> Any:
        """Hands over the key; gives what the process says of itself, ``{}`` where that is nothing."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        try:
            stdin.write(f"{self.key}\n".encode())
            stdin.flush()
        except BrokenPipeError:
            # It ended already, and its log says why.
            return {}
        try:
            said = json.loads(stdout.readline(MAX_READY_BYTES))
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    def _failure(self, said: Any) -> VxError:
        if "error" in said:
            return refusal(said, None)
        # Settings are refused by the names of their variables, which are those of the parameters but for case.
        last = re.sub(r"SHOAL_VX_(\w+)", lambda name: name[1].lower(), "\n".join(self._log))
        if self._process.returncode == USAGE_EXIT_CODE:
            return VxError(last.replace("shoal: ", ""), "invalid_request")
        version = old_node()
        if version is not None:
            return VxError(f"vx.Vx needs Node.js 20.19 or newer; this one is {version}", "unavailable")
        return VxError(f"The index did not start ({self._process.returncode}):\n{last}", "unavailable")


def _start(settings: Mapping[str, str]) -> subprocess.Popen[bytes]:
    # Settings go by the environment: other users of the machine can read a command line, and a key may be among them.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SHOAL_")}
    environment.update((f"SHOAL_{name}", value) for name, value in settings.items())
    environment["SHOAL_LOG_LEVEL"] = "warn"
    try:
        return subprocess.Popen(
            [*find_command(), "vx", "--child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            # Ctrl-C at the terminal is for this process, which may go on.
            start_new_session=True,
        )
    except OSError as error:
        raise VxError(f"`shoal` can't be run: {error}", "unavailable") from error


def _keep_lines(stream: IO[bytes], lines: deque[str]) -> None:
    for line in iter(lambda: stream.readline(MAX_READY_BYTES), b""):
        lines.append(line.decode("utf-8", "replace").rstrip())


def _stop(
    process: subprocess.Popen[bytes], logging: threading.Thread, owner: int, folder: Optional[str]
) -> None:
    if os.getpid() != owner:
        return
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    try:
        process.stdin.close()
    except BrokenPipeError:
        # It has ended already.
        pass
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    logging.join(STOP_SECONDS)
    if not logging.is_alive():
        process.stderr.close()
    if folder is not None:
        # Its own last act, if it did not crash.
        shutil.rmtree(folder, ignore_errors=True)


#: Those of this process, for a forked one to let go of.
_running: weakref.WeakSet[OwnProcess] = weakref.WeakSet()


def _after_fork() -> None:
    for process in list(_running):
        process.let_go()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
