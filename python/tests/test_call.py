"""How calls run: progress, Ctrl-C, threads and other Python threads."""

import signal
import threading
import time

import pytest

import ricochet


def test_progress_is_heard_in_the_calling_thread(toss, tosses):
    heard = []

    def hear(task, done, total, elapsed, remaining, finished):
        heard.append((task, done, total, finished, threading.current_thread()))

    ricochet.sweep(toss, tosses, {"contact.friction": (0, 0.9, 40), "contact.restitution": (0, 0.9, 4)}, progress=hear)
    assert heard and heard[-1][3] and all(each[4] is threading.main_thread() for each in heard)


def test_a_progress_function_that_raises_stops_the_call(toss, tosses):
    def hear(*_):
        raise LookupError("enough")

    begin = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        ricochet.sweep(
            toss, tosses, {"contact.friction": (0, 0.9, 500), "contact.restitution": (0, 0.9, 500)}, progress=hear
        )
    assert time.monotonic() - begin < 60


def test_control_c_stops_a_call(toss, tosses):
    timer = threading.Timer(0.5, lambda: signal.raise_signal(signal.SIGINT))
    begin = time.monotonic()
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        ricochet.sweep(toss, tosses, {"contact.friction": (0, 0.9, 1000), "contact.restitution": (0, 0.9, 1000)})
    assert time.monotonic() - begin < 60


def test_other_threads_go_on(toss, tosses):
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    other = threading.Thread(target=tick)
    other.start()
    begin = time.monotonic()
    ricochet.sweep(toss, tosses, {"contact.friction": (0, 0.9, 20), "contact.restitution": (0, 0.9, 5)})
    taken = time.monotonic() - begin
    stop.set()
    other.join()
    assert len([each for each in ticks if begin < each < begin + taken]) > 5 * taken


def test_calls_in_several_threads(toss):
    results = []
    threads = [threading.Thread(target=lambda: results.append(ricochet.simulate(toss))) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(results) == 4 and all(each == results[0] for each in results)
