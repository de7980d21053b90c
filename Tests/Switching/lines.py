"""The lines of the documentation that call the command or a script: of the pages, and of `--help` and the man pages."""

import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "CONTRIBUTING.md", "docs/*.md", "Examples/README.md", "Tests/README.md", "Tests/*/README.md"]
FENCE = re.compile(r"^```([\w-]*)$")
OURS = re.compile(r"^(?:\$ )?((?:[A-Z_]+=\S+ )*(?:segdl|Scripts/\S+)(?: .*)?)$")

# Lines that are not run, and why. Each has to be in a page.
LEFT_OUT = {
    "segdl queue add -d isos https://host/a.iso": "it drives a daemon elsewhere: Tests/Daemon/remote.py does that",
    "segdl queue list": "the same",
    "segdl fetch hf://org/model/model.safetensors": "it needs a hub of models: EndToEnd/Mirror/HubTests has one",
    "segdl mirror hf://org/model model": "the same",
    "segdl mirror hf://org/model@main model": "the same",
    "segdl mirror oci://docker.io/library/alpine:3.20 image": "it needs a registry: Mirror/RegistryTests has one",
    "segdl mirror oci://quay.io/org/name:tag image": "the same",
    "segdl mirror --platform linux/arm64 oci://quay.io/org/name:tag image": "the same",
    "segdl mirror --hf-cache hf://org/model ~/.cache/huggingface/hub": "the same",
    "segdl mirror --format debian --component main --arch amd64 https://host/debian/dists/stable/ copy":
        "it needs a repository: Mirror/DebianTests has one",
    "segdl mirror --format debian --suite stable,stable-updates --arch amd64,source https://host/debian/ copy":
        "the same",
    "Scripts/": "a script of the tree takes minutes or hours; workflows run most, and here it has to be there",
}


def plain(line):
    """A line without the comment at its end."""
    return re.sub(r"\s+#( .*)?$", "", line)


def blocks(page):
    """Yields (language, lines) of each block of code."""
    language, block = None, []
    for line in page.splitlines():
        match = FENCE.match(line)
        if match and language is None:
            language, block = match[1], []
        elif match:
            yield language, block
            language = None
        else:
            block.append(line)


def of_pages():
    """Yields (page, the line of another tool above it, our line)."""
    for pattern in PAGES:
        for path in sorted(ROOT.glob(pattern)):
            for language, block in blocks(path.read_text(encoding="utf-8")):
                theirs = ""
                for line in block:
                    if line.startswith("# "):
                        theirs = line[2:] if language == "segdl" else ""
                    elif match := OURS.match(line):
                        yield str(path.relative_to(ROOT)), theirs, plain(match[1])


def of_help(segdl):
    """Yields the same of the examples in the help of each subcommand."""
    dump = subprocess.run([segdl, "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    pending = [("segdl", json.loads(dump)["command"])]
    while pending:
        name, command = pending.pop()
        for paragraph in re.split(r"\n\n+", command.get("discussion") or ""):
            if paragraph.startswith("Example"):
                for line in re.findall(r"^(?:Example:)? *(segdl .*)$", paragraph, re.MULTILINE):
                    yield f"{name} --help", "", line
        pending += [(f"{name} {one['commandName']}", one) for one in command.get("subcommands", [])]


def reason(line):
    """Why a line is not run, or None."""
    return LEFT_OUT.get("Scripts/" if line.startswith("Scripts/") else line)


def unknown():
    """Yields the faults of lines that are not run: exceptions that no page needs, and scripts that are not there."""
    shown = [line for _, _, line in of_pages()]
    for line in LEFT_OUT:
        if line not in shown and not (line.endswith("/") and any(one.startswith(line) for one in shown)):
            yield f"No page has the line {line}, which is said not to be run."
    for page, _, line in of_pages():
        if line.startswith("Scripts/") and not (ROOT / line.split()[0]).is_file():
            yield f"{page}: {line}\n    there is no such script"
