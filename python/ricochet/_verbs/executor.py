"""Work shared among processes: executors of concurrent.futures, Dask clients and joblib.

A call with `executor=` runs in this process and in one task per worker of the executor. The tasks connect to this
process and take parts of the work from it (repetitions of a bootstrap, cells of a sweep), so the result has the same bits
as without an executor. When a worker is lost, the call goes on with those that are left from what is stored.
"""

from __future__ import annotations

import os
import pickle
import secrets
import socket
import tempfile
import threading
import time
from typing import Any, Callable

from .. import _core
from .._base.errors import Cancelled, WorkerLost

#: How long to wait for workers to connect [s], and how often to go on after a worker was lost.
CONNECT_SECONDS = 30.0
ATTEMPTS = 5

#: A call of the library: (settings of the call) -> result.
Work = Callable[..., Any]


def _worker(address: tuple[str, int], token: bytes, payload: bytes) -> str:
    """What a worker does: connects, hears its number, and takes part in the call."""
    try:
        connection = socket.create_connection(address, timeout=CONNECT_SECONDS)
    except OSError:
        return "late"
    with connection:
        connection.sendall(token)
        try:
            numbers = _receive(connection, 8)
        except (OSError, EOFError):
            return "late"
        connection.settimeout(None)
        rank, count = int.from_bytes(numbers[:4], "big"), int.from_bytes(numbers[4:], "big")
        work, threads, seed = pickle.loads(payload)
        ranks = _core.SocketRanks(rank, count, [connection.fileno()])
        try:
            work(_core.CallSettings(threads, seed, None, ranks))
        except (WorkerLost, Cancelled):
            return "ended"
    return "done"


def _receive(connection: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = connection.recv(size - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def _worker_count(executor: Any) -> int:
    """How many workers an executor has."""
    if hasattr(executor, "scheduler_info"):  # Dask
        return len(executor.scheduler_info()["workers"])
    for name in ("_max_workers", "n_jobs", "max_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return os.cpu_count() or 1


def _submit(executor: Any, count: int, task: Callable[..., str], *arguments: Any) -> list[Any]:
    """Starts one task per worker."""
    if callable(executor) and hasattr(executor, "n_jobs"):  # joblib.Parallel, which waits for its tasks
        import joblib

        def run() -> None:
            try:
                executor(joblib.delayed(task)(*arguments) for _ in range(count))
            except Exception:  # a lost worker shows at its connection
                pass

        threading.Thread(target=run, daemon=True).start()
        return []
    if not hasattr(executor, "submit"):
        raise TypeError(
            f"executor: {type(executor).__name__} is not an executor. Give one of concurrent.futures, a Dask client or "
            "joblib.Parallel."
        )
    extra = {"pure": False} if hasattr(executor, "scheduler_info") else {}
    return [executor.submit(task, *arguments, **extra) for _ in range(count)]


def _host_for(executor: Any) -> str:
    """The address at which workers reach this process."""
    if hasattr(executor, "scheduler_info"):
        workers = executor.scheduler_info()["workers"].values()
        if any("127.0.0.1" not in str(each.get("host", "127.0.0.1")) for each in workers):
            return socket.gethostbyname(socket.gethostname())
    return "127.0.0.1"


def _accept(listener: socket.socket, token: bytes, count: int, futures: list[Any]) -> list[socket.socket]:
    """Connections of the workers that come in time."""
    connections: list[socket.socket] = []
    end = time.monotonic() + CONNECT_SECONDS
    while len(connections) < count and time.monotonic() < end:
        if futures and all(each.done() for each in futures):
            break
        listener.settimeout(0.2)
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        connection.settimeout(CONNECT_SECONDS)
        try:
            known = secrets.compare_digest(_receive(connection, len(token)), token)
        except (OSError, EOFError):
            known = False
        if known:
            connections.append(connection)
        else:
            connection.close()
    return connections


def _run_once(executor: Any, work: Work, threads: int, seed: int, progress: Any) -> Any:
    token = secrets.token_bytes(16)
    with socket.create_server((_host_for(executor), 0)) as listener:
        payload = pickle.dumps((work, 1, seed))
        count = _worker_count(executor)
        futures = _submit(executor, count, _worker, listener.getsockname()[:2], token, payload)
        connections = _accept(listener, token, count, futures)
    try:
        ranks = len(connections) + 1
        for rank, connection in enumerate(connections, start=1):
            connection.sendall(rank.to_bytes(4, "big") + ranks.to_bytes(4, "big"))
            connection.settimeout(None)
        link = _core.SocketRanks(0, ranks, [each.fileno() for each in connections]) if connections else None
        try:
            return work(_core.CallSettings(threads, seed, progress, link))
        except Cancelled:
            if link is not None and link.lost:
                raise WorkerLost("a process that shares the work has ended") from None
            raise
    finally:
        for connection in connections:
            connection.close()


def run_shared(executor: Any, work: Work, threads: int, seed: int, progress: Any) -> Any:
    """Runs a call with the workers of an executor; once more from what is stored when one of them is lost."""
    for _ in range(ATTEMPTS):
        try:
            return _run_once(executor, work, threads, seed, progress)
        except WorkerLost:
            continue
        except RuntimeError as error:
            # An executor whose worker was killed takes no more tasks: this process does the rest.
            if type(error).__name__ not in ("BrokenProcessPool", "BrokenExecutor", "TerminatedWorkerError"):
                raise
            break
    return work(_core.CallSettings(threads, seed, progress))


class StoreFolder:
    """A file for finished parts: the one that the caller names, or one in a folder that is removed at the end."""

    def __init__(self, name: str) -> None:
        self._folder = None if name else tempfile.TemporaryDirectory()
        self.name = name or os.path.join(self._folder.name, "store")

    def __enter__(self) -> str:
        return self.name

    def __exit__(self, *details: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()


