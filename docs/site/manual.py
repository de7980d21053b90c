"""The man pages as pages of the site: mandoc's Markdown, with lists of options and links between the pages."""

import re
import subprocess

HEADING = re.compile(r"^(#+) (.*)$")


def pages(directory):
    """Yields (name, text) of each man page in a directory; `segdl` is the first one."""
    for path in sorted(directory.glob("*.1"), key=lambda path: path.stem):
        run = subprocess.run(["mandoc", "-T", "markdown", path], check=True, capture_output=True, text=True)
        yield path.stem, page(path.stem, run.stdout)


def page(name, text):
    result, is_item = [f"# {name.replace('-', ' ')}"], False
    # The first line and the last one are the title and the date.
    for line in text.strip().split("\n")[1:-1]:
        if line.startswith(">"):
            # The text of an option, below its name.
            if not is_item and result[-1] == "":
                result.pop()
            result.append(("    " if is_item else ":   ") + linked(line.removeprefix(">").strip()))
        elif match := HEADING.match(line):
            title = match[2] if len(match[1]) > 1 else match[2].capitalize()
            result.append(f"#{match[1]} {title}" if title != "Name" else "")
        elif line.startswith(f"**{name}** - "):
            result.append(line.removeprefix(f"**{name}** - ") + ".")
        else:
            result.append(linked(line))
        is_item = line.startswith(">")
    return "\n".join(result) + "\n"


def linked(line):
    return re.sub(r"\b(segdl(?:-[a-z]+)?)\(1\)", r"[`\1`](\1.md)", line)
