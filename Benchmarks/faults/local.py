"""Faults of this machine: kills, changes between two runs, the disk."""

from answers import LONGER, NEW
from disk import full_disk, power_cut
from resume import changed, damaged, dishonest, killed, together

LOCAL_ROWS = {
    "20 times kill -9 at random moments, resumed": killed,
    "remote file changed before the resume: ETag": changed("etag", NEW),
    "remote file changed before the resume: Last-Modified": changed("lm", NEW),
    "remote file changed before the resume: total": changed("total", LONGER),
    "remote file changed before the resume: no sign of it": changed("none", NEW),
    "killed; each range then begins 1 byte late": dishonest("wrong-start"),
    "killed; each range is then multipart": dishonest("multipart"),
    "killed; ranges are then ignored, 200": dishonest("ranges-only-first"),
    "unfinished data replaced by another file": damaged("replaced"),
    "unfinished data overwritten in place": damaged("in place"),
    "unfinished data cut to an eighth": damaged("truncated"),
    "unfinished data deleted": damaged("deleted"),
    "state file deleted": damaged("stateless"),
    "state file deleted, without the switches for resuming": damaged("stateless", resume=False),
    "two processes at the same time": together,
    "power cut after 3 s": power_cut(3),
    "power cut after 6 s": power_cut(6),
    "power cut after 9 s": power_cut(9),
    "disk full, then room": full_disk,
}
ROOT_ROWS = [label for label in LOCAL_ROWS if label.startswith(("power", "disk"))]
