"""What Python adds to a call: rollout_batch against C++, identify, and the memory of large recordings.

    bench/python/overhead.py build-bench/bench/run_rollout

Times are processor times, the least of several runs in turn, so that other work on the machine matters little.
"""

from __future__ import annotations

import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import ricochet

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENE = str(ROOT / "examples" / "box006_toss.yaml")
COUNT, DURATION, REPEATS = 400, 0.8, 15


def rollout_in_python(scene: ricochet.Scene) -> tuple[float, float]:
    friction = np.linspace(0.1, 0.9, COUNT)
    begin = time.process_time()
    batch = ricochet.rollout_batch(scene, {"contact.friction": friction}, duration=DURATION, every=10, threads=1)
    return time.process_time() - begin, float(batch.states.sum())



def compare_rollouts(program: str) -> None:
    scene = ricochet.Scene(SCENE)
    cpp, python = [], []
    for _ in range(REPEATS):
        command = [program, SCENE, str(COUNT), str(DURATION)]
        printed = subprocess.run(command, capture_output=True, text=True, check=True)
        seconds, total = map(float, printed.stdout.split())
        cpp.append(seconds)
        mine, my_total = rollout_in_python(scene)
        python.append(mine)
        assert abs(total - my_total) <= 1e-9 * abs(total)  # sums in other orders
    excess = 100 * (min(python) / min(cpp) - 1)
    print(f"rollout_batch: C++ {min(cpp):.3f} s, Python {min(python):.3f} s, {excess:+.1f} %")


def compare_identify() -> None:
    """The time of the call over that which the library measures in itself."""
    scene = ricochet.Scene(str(ROOT / "examples" / "plywood_blind.yaml"))
    recording = ricochet.read(str(ROOT / "examples" / "recordings" / "plywood_240fps.csv"))
    paths = ["bodies.ellipse.inertia / bodies.ellipse.mass", "contact.friction", "contact.restitution"]
    outside = []
    for _ in range(REPEATS):
        begin = time.perf_counter()
        estimate = ricochet.identify(scene, recording, paths, progress=False)
        seconds = time.perf_counter() - begin
        outside.append((seconds - estimate.seconds, seconds))
    least, seconds = min(outside)
    share = 100 * least / seconds
    print(f"identify: {1e3 * least:.2f} ms of {1e3 * seconds:.0f} ms are outside of the library, {share:.2f} %")


def measure_memory(rows: int = 1_000_000) -> None:
    table = {"t": np.arange(rows) / 1000.0}
    for name in ("x", "y", "z", "qw", "qx", "qy", "qz"):
        table[name] = np.random.default_rng(0).normal(size=rows)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    recording = ricochet.Recording(table)
    taken = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    size = sum(each.nbytes for each in table.values()) / 2**20
    shared = all(np.shares_memory(recording[each], table[each]) for each in recording)
    print(f"{rows:.0e} rows: {size:.0f} MiB of arrays, {taken:.1f} MiB more with a Recording of them, shared: {shared}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        compare_rollouts(sys.argv[1])
    compare_identify()
    measure_memory()
