"""The dated page with tables and plots, made from raw results alone."""

import json
import os

import plots
from content import MIB
from measure import Result
from misses import WHY
from wire import HEADERS


def load(path):
    with open(path) as file:
        raw = json.load(file)
    for scenario in raw["scenarios"].values():
        for entry in scenario.get("contenders", []):
            columns = entry["samples"]
            entry["samples"] = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return raw


def save(folder, raw):
    """Puts what was measured into the day's raw results; other scenarios stay as they are."""
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/raw.json"
    known = load(path)["scenarios"] if os.path.exists(path) else {}
    with open(f"{path}.new", "w") as file:
        file.write(packed({"machine": raw["machine"], "scenarios": known | raw["scenarios"]}))
    os.replace(f"{path}.new", path)


def packed(raw):
    """JSON with a line for each contender, whose samples are columns: a figure's name and its values."""
    scenarios = []
    for name, scenario in raw["scenarios"].items():
        head = json.dumps({key: value for key, value in scenario.items() if key != "contenders"}, ensure_ascii=False)
        if "contenders" in scenario:
            lines = []
            for entry in scenario["contenders"]:
                samples = entry["samples"]
                columns = {figure: [sample[figure] for sample in samples] for figure in samples[0]} if samples else {}
                lines.append(json.dumps(entry | {"samples": columns}, ensure_ascii=False, separators=(",", ":")))
            head = head[:-1] + ', "contenders": [\n' + ",\n".join(lines) + "]}"
        scenarios.append(f"{json.dumps(name)}: {head}")
    machine = json.dumps(raw["machine"], ensure_ascii=False)
    return f'{{"machine": {machine},\n"scenarios": {{\n' + ",\n".join(scenarios) + "}}\n"


def write(folder, raw, scenarios):
    """The page beside the folder, and the plots in it."""
    measured = [s for s in scenarios if "contenders" in raw["scenarios"].get(s.name, {})]
    for scenario in measured:
        result = Result(raw["scenarios"][scenario.name])
        if rows := time_rows(result):
            with open(f"{folder}/{scenario.name}.svg", "w") as file:
                file.write(plots.times(scenario.title, rows, result.ideal))
        if panels := flow_panels(result):
            kilobytes = result.raw["far"]["curve"][-1][1] * HEADERS
            curve = [(time, carried * HEADERS) for time, carried in result.raw["far"]["curve"]]
            with open(f"{folder}/{scenario.name}-flows.svg", "w") as file:
                file.write(plots.flows(scenario.title, panels, curve, kilobytes))
    with open(f"{folder}/overview.svg", "w") as file:
        file.write(plots.overview("Speed of each tool at its best, where segdl's is 1", overview(measured, raw)))
    name = os.path.basename(folder)
    date = name.removesuffix("-speed")
    parts = [
        f"# Speed, {date}",
        "Made by `Scripts/bench`. Server and client share the machine. Contenders run in turn, after a round that is "
        "not counted; figures are medians, with the least and the most in brackets. What takes a minute is run once. "
        "Each file is compared with the original after each run. CPU and memory are the client's alone. Connections, "
        "requests and bytes are as the server counted them; a byte that the client never read because it hung up is "
        "counted too. Lists are the same for all; `….curl` is one as curl reads it. In the scenarios `line-…` a proxy "
        "between server and client holds back every byte, as a long line does. In the scenarios `real-…` there is TCP "
        "as it is over a line whose frames are forwarded one by one (`Benchmarks/scenarios/wire.c`): a round trip, a "
        "rate with a queue that drops what does not fit, loss with a seed for each round, cubic at the server; no "
        "round is left out. *Sent twice* is what crossed the line beyond the file and the headers that one stream "
        "would have; *late* is how long at most the busy machine kept a frame that was due.\n\n"
        f"Again from the raw results: `Scripts/bench --page Benchmarks/{name}/raw.json`.",
        "\n".join(["| | |", "|---|---|", *(f"| {key} | {value} |" for key, value in raw["machine"].items())]),
        f"![Speed of each tool in each scenario]({name}/overview.svg)",
        "Each tool with the best of its command lines below; segdl finds the number of connections by itself (lists: "
        "16 at a time). What took too long, or failed, has no bar.",
        bars(scenarios, raw),
        misses(scenarios, raw),
        *(section(scenario, raw["scenarios"][scenario.name], plot=name)
          for scenario in scenarios if scenario.name in raw["scenarios"]),
    ]
    with open(f"{folder}.md", "w") as file:
        file.write("\n\n".join(parts) + "\n")


def time_rows(result):
    rows = []
    for label in result.contenders:
        if walls := result.values(label, "wall"):
            rows.append((label, result.median(label, "wall"), min(walls), max(walls)))
    return rows


def flow_panels(result):
    """Of each contender what its first run shows, where frames were counted."""
    panels = []
    for label, entry in result.contenders.items():
        for sample in entry["samples"][:1]:
            if sample.get("flows"):
                panels.append((label, sample["wall"], *sample["flows"]))
    return panels


def overview(scenarios, raw):
    """For each scenario the speed of each tool at its best, where segdl's is 1."""
    groups = []
    for scenario in scenarios:
        result = Result(raw["scenarios"][scenario.name])
        ours = result.median(scenario.main, "wall")
        best = {}
        for label, wall, _, _ in time_rows(result):
            tool = label.split()[0].rstrip(",")
            if tool in plots.COLOURS and tool != "segdl":
                best[tool] = min(wall, best.get(tool, wall))
        if ours and best:
            groups.append((scenario.title, {"segdl": 1.0, **{tool: ours / wall for tool, wall in best.items()}}))
    return groups


def bars(scenarios, raw):
    lines = ["## The bars", "", "| scenario | what | measured | bar | |", "|---|---|---|---|---|"]
    for scenario in scenarios:
        found = raw["scenarios"].get(scenario.name)
        if not found:
            continue
        if "skipped" in found:
            lines.append(f"| {scenario.name} | | | | not measured: {found['skipped']} |")
            continue
        lines += [bar_line(scenario, bar) for bar in scenario.bars(Result(found))]
    return "\n".join(lines)


def misses(scenarios, raw):
    """Why bars are not met, of the scenarios that miss one."""
    lines = ["## What is not met, what was tried, and what the limit is"]
    for scenario in scenarios:
        found = raw["scenarios"].get(scenario.name, {})
        if "contenders" in found and any(bar.met is False for bar in scenario.bars(Result(found))):
            why = WHY.get(scenario.name, "Not looked into yet.").replace("\n", " ")
            lines.append(f"**{scenario.name}.** {why}")
    return "\n\n".join(lines)


def bar_line(scenario, bar):
    words = "at least" if bar.least else "at most"
    limit = f"{words} {bar.bar:g}{bar.unit if bar.unit != '×' else ' ×'}"
    if bar.measured is None:
        return f"| {scenario.name} | {bar.what} | | {limit} | not measured |"
    value = {"×": f"{bar.measured:.2f} ×", " %": f"{bar.measured:.1f} %"}.get(bar.unit, f"{bar.measured:.0f}{bar.unit}")
    if bar.met:
        verdict = "met"
    elif bar.bar:
        verdict = f"**not met**, by {abs(bar.measured / bar.bar - 1):.0%}"
    return f"| {scenario.name} | {bar.what} | {value} | {limit} | {verdict} |"


def section(scenario, raw, plot):
    """`plot`: the folder of the plots as the page names it, or nothing."""
    parts = [f"## {scenario.name}: {scenario.title}", scenario.about]
    if "skipped" in raw:
        return "\n\n".join([*parts, f"Not measured: {raw['skipped']}."])
    result = Result(raw)
    if result.ideal:
        parts[1] += f" It would need {result.ideal:.2f} s."
    if far := raw.get("far"):
        one, several, most = far["bound"].values()
        parts[1] += (
            f" Slow start alone needs {one:.2f} s with one connection, {several:.2f} with eight and {most:.2f} with "
            "sixteen that begin together, without any loss.")
    if plot and time_rows(result):
        parts.append(f"![{scenario.title}]({plot}/{scenario.name}.svg)")
        if flow_panels(result):
            parts.append(f"![{scenario.title}: bytes of each connection]({plot}/{scenario.name}-flows.svg)")
    parts.append(far_table(result) if far else table(result))
    failures = [
        f"- `{label}`: {reason}" + (f" ({reasons.count(reason)} times)" if reasons.count(reason) > 1 else "")
        for label, entry in result.contenders.items() for reasons in [entry["failures"]]
        for reason in dict.fromkeys(reasons)
    ]
    if failures:
        parts.append("Runs that failed:\n\n" + "\n".join(failures))
    commands = "\n".join(dict.fromkeys(raw["commands"].values()))
    parts.append(f"```\n{commands}\n```")
    parts.append(f"{raw['runs']} runs, begun {raw['began'].replace('T', ' ')}, load before them {raw['load']}.")
    return "\n\n".join(parts)


def spread(values, show):
    values = sorted(values)
    return f"({show(values[0])}–{show(values[-1])})"


def table(result):
    small = all(entry["files"] and entry["size"] / entry["files"] < MIB for entry in result.contenders.values())
    many = small and any(entry["files"] > 1 for entry in result.contenders.values())
    lines = [
        f"| | wall s | {'files/s' if many else 'MiB/s'} | CPU s | CPU s/GiB | peak MiB | connections "
        f"| {'requests / files' if many else 'requests'} | refused | sent twice MiB |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for label, entry in result.contenders.items():
        walls = result.values(label, "wall")
        if not walls:
            lines.append(f"| `{label}` | never done |" + " |" * 8)
            continue
        wall, cpu = result.median(label, "wall"), result.values(label, "cpu")
        digits = 4 if wall < 0.1 else 2

        def fixed(value, digits=digits):
            return f"{value:.{digits}f}"

        requests = number(result.median(label, "requests"))
        speed = entry["files"] / wall if many else entry["size"] / MIB / wall
        cells = [
            f"`{label}`",
            f"{fixed(wall)} {spread(walls, fixed)}",
            f"{speed:.0f}" if many or entry["size"] >= MIB else "",
            f"{fixed(result.median(label, 'cpu'))} {spread(cpu, fixed)}",
            f"{result.per_gib(label):.2f}" if entry["size"] >= 16 * MIB else "",
            f"{result.median(label, 'peak'):.0f}",
            number(result.median(label, "connections")),
            requests and f"{requests} / {entry['files']}" if many else requests,
            number(result.median(label, "refused")),
            number(result.median(label, "twice"), MIB),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def far_table(result):
    """Of a line whose frames are counted."""
    lines = [
        "| | wall s | MiB/s | × ideal | sent twice % | connections | requests | refused | frames lost "
        "| dropped by the queue | CPU s | late ms |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for label, entry in result.contenders.items():
        walls = result.values(label, "wall")
        if not walls:
            lines.append(f"| `{label}` | never done |" + " |" * 10)
            continue
        cells = [
            f"`{label}`",
            f"{result.median(label, 'wall'):.2f} {spread(walls, '{:.2f}'.format)}",
            f"{entry['size'] / MIB / result.median(label, 'wall'):.1f}",
            f"{result.against_ideal(label):.2f}",
            f"{result.median(label, 'again'):.1f}",
            *(number(result.median(label, figure)) for figure in (
                "connections", "requests", "refused", "lost", "dropped")),
            f"{result.median(label, 'cpu'):.2f}",
            f"{max(result.values(label, 'late')):.0f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def number(value, unit=1):
    if value is None:
        return ""
    return f"{value:.0f}" if unit == 1 else f"{value / unit:.1f}"
