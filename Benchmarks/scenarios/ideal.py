"""What a schedule that knew everything beforehand would need.

It has `slots` connections and may divide the file at any byte, so nothing is left over at the end: it is done when all
connections together have carried the file. Its only choice is which connections to keep. As it knows how each will
do, it opens another in the place of one that does worse than a new one could, the moment that begins, and pays the
set-up for it.
"""

import itertools

STEP = 0.001


class Slot:
    def __init__(self, number, ready):
        self.number, self.ready = number, ready


def seconds(size, slots, rates, setup=0.001):
    """`rates` as `servers.Paced` takes it."""
    rate = rates()
    opened = slots
    connections = [Slot(number, setup) for number in range(1, slots + 1)]
    best = max(rate(connection, 0, 0) for connection in connections)
    elapsed, sent = 0.0, 0.0
    while sent < size:
        for place, connection in enumerate(connections):
            if elapsed < connection.ready:
                continue
            now = rate(connection, elapsed, sent)
            if now < best and (size - sent) / (best * slots) > setup:
                opened += 1
                connections[place] = Slot(opened, elapsed + setup)
            else:
                sent += now * STEP
        elapsed += STEP
    return elapsed


def link(size, rates):
    """A link that all connections share; `rates` are (from second, bytes per second), in order."""
    for (begin, rate), (end, _) in itertools.pairwise(rates):
        if size <= rate * (end - begin):
            return begin + size / rate
        size -= rate * (end - begin)
    begin, rate = rates[-1]
    return begin + size / rate


def slow_start(size, rate, round_trip, connections, setup, window=14480):
    """When so many connections, all opened at once and without any loss, have carried how much: points (seconds, bytes)
    up to the whole file. `setup`: round trips until the first byte. Each begins with ten segments (RFC 6928) and
    doubles them after each round trip, until the line is full."""
    points, carried, elapsed = [], 0.0, setup * round_trip
    burst = connections * window
    while True:
        points.append((elapsed, carried))
        most = min(burst, rate * round_trip, size - carried)
        # A burst comes as fast as the line is.
        points.append((elapsed + most / rate, carried + most))
        carried += most
        if size - carried < 1:
            return points
        elapsed += round_trip
        burst *= 2
