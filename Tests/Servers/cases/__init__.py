"""The cases, in the order of the table's columns. Each takes a stage and gives an outcome."""

from cases.access import basic, digest, tls
from cases.broken import change, resize, restart, resume
from cases.mirror import mirror
from cases.whole import archive, many, sizes

CASES = {
    "sizes": sizes,
    "tar.gz": archive,
    "list": many,
    "resume": resume,
    "change": change,
    "resize": resize,
    "restart": restart,
    "mirror": mirror,
    "tls": tls,
    "basic": basic,
    "digest": digest,
}
