"""Where a line of the documentation makes sense: lines that run before it, its environment, and the files after it."""

import dataclasses
import re

ADD = "segdl queue add -d isos https://host/a.iso https://host/b.iso"
MIRROR = "segdl mirror https://host/pub/ copy"
DISK = {"disk.iso": "disk.iso"}
IN_QUEUE = {"isos/a.iso": "a.iso", "isos/b.iso": "b.iso"}
TREE = {"a.iso": "pub/a.iso", "b.txt": "pub/b.txt", "old/c.iso": "pub/old/c.iso"}
ISOS = {"a.iso": "a.iso", "b.iso": "b.iso"}
SHARED = {f"shared/copy/{name}": content for name, content in TREE.items()}
COPY = {f"copy/{name}": content for name, content in TREE.items()}


def shards(count, directory):
    return [f"segdl mirror --shard {i}/{count} https://host/pub/ {directory(i)}" for i in range(1, count + 1)]


@dataclasses.dataclass
class Situation:
    """Of `made` the keys are paths and the values the server's files, or None for a file of any content.

    Without `made` the line's options tell the files. Of those in `may_be` each may be there or not.
    """

    before: list = dataclasses.field(default_factory=list)
    environment: dict = dataclasses.field(default_factory=dict)
    present: dict = dataclasses.field(default_factory=dict)
    made: dict | None = None
    may_be: dict = dataclasses.field(default_factory=dict)
    is_served: bool = False


# The first one whose pattern is in the line counts.
KNOWN = [
    (r"^segdl serve", Situation(is_served=True, made={})),
    (r"^segdl queue add -i urls.txt &&", Situation()),
    (r"queue add .*&& segdl queue start", Situation(made=IN_QUEUE)),
    (r"^segdl queue add", Situation(made={})),
    (r"^segdl queue start", Situation([ADD], made=IN_QUEUE)),
    (r"^segdl queue resume", Situation([ADD, "segdl queue pause all"], made={})),
    (r"^segdl queue", Situation([ADD], made={})),
    (r"^segdl mirror report .*shared/copy$",
     Situation(shards(4, lambda index: "shared/copy"), made=SHARED)),
    (r"^segdl mirror report node", Situation(
        shards(3, lambda index: f"node{index}/copy"), made={},
        may_be={f"node{index}/{path}": name for path, name in COPY.items() for index in (1, 2, 3)})),
    (r"^segdl mirror report", Situation(["segdl mirror --shard 1/1 https://host/pub/ copy"], made=COPY)),
    (r"--shard \d/4 .*shared/copy$", Situation(made={}, may_be=SHARED)),
    (r"--shard \d/4 ", Situation(made={}, may_be=COPY)),
    (r"--shard auto", Situation(environment={
        "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_COUNT": "1"}, made=COPY)),
    (r"s3://bucket/images/ ", Situation(made={"copy/a.iso": "a.iso"})),
    (r"s3://bucket/models/ ", Situation(made={"models/large.bin": "large.bin"})),
    (r"--format s3", Situation(made={"copy/2024-a.iso": "2024-a.iso"})),
    (r"list.jsonl copy$|pub/SHA256SUMS copy$", Situation(made={"copy/a.iso": "pub/a.iso"})),
    (r"-qOcopy.iso ", Situation(made={"copy.iso": "disk.iso"})),
    (r"-o one.iso ", Situation(made={"one.iso": "disk.iso", "two.txt": "notes.txt"})),
    (r"verify copy/", Situation([MIRROR], made=COPY)),
    (r"verify -d copy proofs/", Situation([MIRROR, "mkdir proofs && mv copy/SHA256SUMS proofs"], made=COPY)),
    (r"verify (--ignore-missing )?SHA256SUMS$", Situation([f"{MIRROR} && mv copy/* ."], made=TREE)),
    (r"verify \*\.iso", Situation(present=ISOS, made=ISOS)),
    (r"verify --checksum", Situation(present=DISK, made=DISK)),
    (r"verify --repair", Situation(["printf damage | dd of=disk.iso conv=notrunc"], present=DISK, made=DISK)),
    (r"^segdl inspect", Situation(
        ["segdl -q --limit-rate 500k --max-time 1 https://host/disk.iso || [ $? = 2 ]"],
        made={"disk.iso.part": None, "disk.iso.part.segdl": None})),
    (r"^segdl bench .*--report bench.html", Situation(made={"bench.html": None})),
    (r"^segdl doctor", Situation(["mkdir data"], made={})),
    (r"^segdl bench", Situation(made={})),
]


def situation(line):
    return next((one for pattern, one in KNOWN if re.search(pattern, line)), Situation())
