"""The shared parts of power cuts."""

import contextlib
import os
import threading

from .disk import Disk


def obstacle(systems):
    return None if systems else "no file system can be cut"


@contextlib.contextmanager
def disk(r):
    """A disk of a random file system; the round's notes count which one."""
    system = r.rng.choice(sorted(r.systems))
    r.notes.append(f"rounds on {system}")
    made = Disk(system, r.systems[system], r.home)
    try:
        yield made
    finally:
        r.end_processes()
        made.close()


@contextlib.contextmanager
def cut(r, disk, earliest, latest):
    """Cuts the power at a random moment while the body runs. Behind the body the disk has been mounted again."""

    def fire():
        try:
            disk.cut()
        except OSError as error:
            # Not in a traceback of the timer only, because the round would then look as if it had been cut.
            r.fail("attack", f"the power was not cut: {error}")

    timer = threading.Timer(r.rng.uniform(earliest, latest), fire)
    timer.start()
    try:
        yield
    finally:
        # The body may be done before, but each round has its cut.
        timer.join()
        r.end_processes()
        r.hits["cuts"] += 1
        disk.boot()


def put(path, data):
    """Writes a file that a power cut does not take."""
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    directory = os.open(path.parent, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
