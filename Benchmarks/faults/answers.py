"""Servers that misbehave in their answers."""

import itertools
import urllib.parse

from outcomes import Outcome, classify
from tools import MB, SIZE, Run


def fault(behaviour, versions=((SIZE, 1),), **parameters):
    """A row: one download from a misbehaving server, 4 MB/s for each connection."""
    def row(bench, tool, work, case):
        names = {name.replace("_", "-"): value for name, value in parameters.items()}
        run = Run(bench, tool, bench.server.url(behaviour, case, **{"rate": 4 * MB, **names}), work)
        status = run.wait()
        note = ""
        if "retry-after" in names:
            log = bench.server.ask("log", case)
            gaps = [after["started"] - entry["ended"] for entry, after in itertools.pairwise(log)
                    if entry["status"] in (429, 503)]
            note = f"asked again after {min(gaps):.1f} s" if gaps else "did not ask again"
        return Outcome(classify(tool, work, status, [bench.server.truth(*v) for v in versions]), run.seconds, note)
    row.__doc__ = urllib.parse.urlencode(parameters).replace("_", "-")
    row.behaviour = behaviour
    return row


OLD, NEW, LONGER = (SIZE, 1), (SIZE, 2), (SIZE + 1000, 2)
SERVER_ROWS = {
    "nothing wrong": fault("plain"),
    "ranges ignored, always 200": fault("no-ranges"),
    "no length, ends by closing": fault("no-length"),
    "ranges, chunked": fault("chunked-ranges"),
    "ETag differs with each answer, bytes the same": fault("rotating-etag"),
    "206 begins 1 byte late": fault("wrong-start"),
    "206 begins 1 byte late, twice": fault("wrong-start", times=2),
    "206 ends 1 byte early": fault("wrong-end"),
    "206 states a total 1 too large": fault("wrong-total"),
    "206 without Content-Range": fault("no-content-range"),
    "206 with Content-Range: bytes banana": fault("garbled-content-range"),
    "206 with a negative Content-Range": fault("negative-content-range"),
    "206 is multipart/byteranges": fault("multipart"),
    "206 is multipart/byteranges, twice": fault("multipart", times=2),
    "206 and Content-Length longer than Content-Range": fault("contradicting-length", later=1),
    "every second range answered 200": fault("ranges-sometimes"),
    "only the first request gets ranges": fault("ranges-only-first"),
    "later answers say gzip and are not": fault("encoded"),
    "all answers say gzip and are not": fault("encoded", first=1),
    "body ends half way, 5 times": fault("short-body", times=5),
    "1000 bytes too many behind each body": fault("long-body"),
    "chunked, cut half way, always": fault("chunked-truncated"),
    "200, closed half way, always": fault("close-truncated"),
    "file changes while it runs: ETag": fault("changing", by="etag", after=2, versions=(OLD, NEW)),
    "file changes while it runs: Last-Modified": fault("changing", by="lm", after=2, versions=(OLD, NEW)),
    "file changes while it runs: total": fault("changing", by="total", after=2, versions=(OLD, LONGER)),
    "file changes while it runs: all of them": fault("changing", by="all", after=2, versions=(OLD, LONGER)),
    "file changes while it runs: no sign of it": fault("changing", by="none", after=2, versions=(OLD, NEW)),
    "connection reset, 3 times": fault("reset", times=3, at=200000),
    "connection silent, 3 times": fault("stall", times=3, at=200000),
    "connection silent before the head, once": fault("stall-head"),
    "connection closed before the head, 3 times": fault("hang-up-before-head", times=3),
    "every third later request gets 1000 B/s": fault("drip", every=3),
    "503, Retry-After 3, twice": fault("status", code=503, retry_after=3, times=2),
    "429, Retry-After 3, twice": fault("status", code=429, retry_after=3, times=2),
    "503 beyond 2 connections": fault("limit", k=2, how=503, rate=2 * MB),
    "429 beyond 2 connections": fault("limit", k=2, how=429, rate=2 * MB),
    "reset beyond 2 connections": fault("limit", k=2, how="reset", rate=2 * MB),
    "silence beyond 2 connections": fault("limit", k=2, how="silence", rate=2 * MB),
    "redirect to a signed URL, good for one request": fault("signed", uses=1),
    "redirect to a signed URL, good for two requests": fault("signed", uses=2),
}
