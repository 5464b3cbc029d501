"""Sweeps and bootstraps on other processes give the same bits."""

import concurrent.futures
import multiprocessing
import os
import signal
import threading
import time

import pytest

import ricochet

GRID = {"contact.friction": (0.1, 0.5, 6), "contact.restitution": (0, 0.4, 4)}


@pytest.fixture(scope="module")
def pool():
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        yield executor


def test_sweep(pool, toss, tosses):
    assert ricochet.sweep(toss, tosses, GRID, executor=pool) == ricochet.sweep(toss, tosses, GRID)


def test_bootstrap(pool, toss, tosses):
    arguments = (toss, tosses[:5], "contact.friction")
    alone = ricochet.identify(*arguments, bootstrap=5, seed=2)
    assert ricochet.identify(*arguments, bootstrap=5, seed=2, executor=pool) == alone


def test_a_killed_worker_costs_only_its_own_part(toss, tosses):
    grid = {"contact.friction": (0.1, 0.5, 60), "contact.restitution": (0, 0.4, 8)}
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        executor.submit(os.getpid).result()
        heard = threading.Event()

        def kill():
            heard.wait(60)
            os.kill(next(iter(executor._processes)), signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()

        def hear(task, done, total, *_):
            if task == "sweep" and done > 0:
                heard.set()

        found = ricochet.sweep(toss, tosses, grid, executor=executor, progress=hear)
        heard.set()
        killer.join()
    alone = ricochet.sweep(toss, tosses, grid)
    assert (found.cost == alone.cost).all() and found.best == alone.best


def test_dask(toss, tosses):
    distributed = pytest.importorskip("dask.distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            assert ricochet.sweep(toss, tosses, GRID, executor=client) == ricochet.sweep(toss, tosses, GRID)


def test_joblib(toss, tosses):
    joblib = pytest.importorskip("joblib")
    found = ricochet.sweep(toss, tosses, GRID, executor=joblib.Parallel(n_jobs=2))
    assert found == ricochet.sweep(toss, tosses, GRID)


def test_what_is_not_an_executor(toss, tosses):
    begin = time.monotonic()
    with pytest.raises(TypeError, match="executor"):
        ricochet.sweep(toss, tosses, GRID, executor=3)
    assert time.monotonic() - begin < 5
