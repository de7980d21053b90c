"""The page."""

import collections
import datetime
import os
import platform

from outcomes import CLASSES, RANK, worst
from tools import AT_ONCE, AXELRC, COMMANDS, LIMIT, RESUME, SIZE, TOOLS, shell

INTRO = """# Faults: segdl, aria2, axel and curl, {date}

Made by `python3 Benchmarks/faults`, with the servers of `Tests/TestServer`. Each file is compared with the original
byte by byte. {cores} cores, {memory:.0f} GiB, Linux {kernel}, {system}.
{versions}.

```
{commands}
```

- axel's `.axelrc` says `{axelrc}`.
- curl, the single-stream baseline, is run up to 6 times, 1 s apart, until it says success.
- Names from a server or a URL: without `-o out`; curl with `-OJ` or `-O`. segdl has its default
  `--if-exists fail`.
- `-c` of aria2 and `-C -` of curl are the switches for resuming: they go on with any file of that name. Rows where that
  does harm come once more without.
- A file has {size} bytes unless said otherwise, a run {limit} s. A cell is the worst of {repeat} runs, with how many
  of them ended so if not all; its seconds are the longest. Server and clients share the machine, and {at_once} runs go
  on at a time, so seconds are rough.
- A power cut is a copy of an ext4 disk (loop device) taken while the download is stopped, and resumed with another boot
  identity: it has what the kernel had written until then. It is not a real disk's cache that is lost.
- Servers that lie do so for ranges that start above 0, unless it says all: one stream from the start, as curl's, never
  meets the lie.
"""


def cell(outcomes):
    bad = worst(outcomes)
    if bad is None:
        return "–"
    count = sum(o.name == bad.name for o in outcomes)
    name = f"**{bad.name}**" if RANK[bad.name] >= RANK["OVERWROTE"] else bad.name
    text = name + (f" ({count} of {len(outcomes)})" if count < len(outcomes) else "")
    text += f", {bad.seconds:.1f} s" if bad.name.startswith("exact") else ""
    return text + (f"; {bad.note}" if bad.note else "")


def table(title, rows, results):
    print(f"\n## {title}\n\n| | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 1)}")
    for label, row in rows.items():
        if label in results:
            how = f" `{row.behaviour}{'?' * bool(row.__doc__)}{row.__doc__}`" if hasattr(row, "behaviour") else ""
            print(f"| {label}{how} | {' | '.join(cell(results[label][tool]) for tool in TOOLS)} |")


def page(results, repeat, groups, segdl_version):
    with open("/proc/meminfo") as file:
        memory = int(file.readline().split()[1]) / 1024 / 1024
    versions = [segdl_version]
    versions += [shell(tool, "--version").splitlines()[0].split("(")[0].strip() for tool in ["aria2c", "axel", "curl"]]
    commands = [" ".join(f"{COMMANDS[tool]} {RESUME[tool]} -o out URL".split()) for tool in TOOLS]
    print(INTRO.format(
        date=datetime.date.today(), cores=os.cpu_count(), memory=memory, kernel=platform.release().split("-")[0],
        system=distribution(), versions=", ".join(versions), commands="\n".join(commands), at_once=AT_ONCE,
        axelrc=AXELRC.strip().replace("\n", "`, `"), size=SIZE, limit=LIMIT, repeat=repeat))
    print("| outcome | means |\n|---|---|")
    for name, meaning in CLASSES.items():
        print(f"| {name} | {meaning} |")

    print(f"\n## Summary\n\nRows by their worst outcome:\n\n| | {' | '.join(TOOLS)} |\n|{'---|' * (len(TOOLS) + 1)}")
    final = {label: {tool: worst(row[tool]) for tool in TOOLS} for label, row in results.items()}
    counts = {tool: collections.Counter(row[tool].name for row in final.values() if row[tool]) for tool in TOOLS}
    for name in CLASSES:
        if any(counts[tool][name] for tool in TOOLS):
            print(f"| {name} | {' | '.join(str(counts[tool][name]) for tool in TOOLS)} |")
    print(f"| of rows | {' | '.join(str(sum(counts[tool].values())) for tool in TOOLS)} |")

    worse, later = [], []
    for label, row in final.items():
        mine, others = row["segdl"], [(tool, row[tool]) for tool in TOOLS[1:] if row[tool]]
        better = [f"{tool}: {o.name}" for tool, o in others if RANK[o.name] < RANK[mine.name]]
        quicker = [f"{tool} {o.seconds:.1f} s" for tool, o in others
                   if o.name == mine.name == "exact" and mine.seconds > max(2 * o.seconds, o.seconds + 1)]
        worse += [f"- {label}: {mine.name}; {', '.join(better)}."] if better else []
        later += [f"- {label}: {mine.seconds:.1f} s; {', '.join(quicker)}."] if quicker else []
    print("\n### Where segdl is worse than another\n")
    print("\n".join(worse) or "Nowhere.")
    print("\n### Where segdl's file is exact, but comes more than 1 s later than another's "
          "and takes more than twice as long\n")
    print("\n".join(later) or "Nowhere.")
    for title, rows in groups.items():
        table(title, rows, results)


def distribution():
    with open("/etc/os-release") as file:
        return next(line.split("=")[1].strip().strip('"') for line in file if line.startswith("PRETTY_NAME"))
