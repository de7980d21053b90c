"""The pages of the repository as the site has them: in the same folders, with links that lead to other pages of it."""

import pathlib
import re
import shutil

PAGES = [
    "README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "docs/*.md", "Benchmarks/*.md", "Examples/README.md",
    "Tests/README.md", "Tests/*/README.md"]
LINK = re.compile(r"(!?\[[^\]]*\])\(([^)\s]+)\)")
FENCE = re.compile(r"^( *)```([\w-]*)$")
# The site's colours know no name for these; the second one of a pair is what it shows.
LANGUAGES = {"segdl": "sh", "swift-theirs": "swift"}
SHELL = re.compile(r"^(\$ |# |([A-Z_]+=\S+ )*(segdl|Scripts/|apt-get|swift|ln|export|podman)\b)")
SUFFIXES = {".swift": "swift", ".yaml": "yaml", ".sbatch": "sh"}
# The first page has all the width.
FRONT = "---\nhide:\n  - navigation\n  - toc\n---\n\n"
IMAGES = {".svg", ".png"}


class Stage:
    """A directory with the sources of the site. Each page of the repository becomes one; so do files that it links."""

    def __init__(self, root, directory):
        self.root, self.directory = root, directory
        self.pages = [path.relative_to(root) for pattern in PAGES for path in sorted(root.glob(pattern))]

    def fill(self):
        for page in self.pages:
            text = (self.root / page).read_text(encoding="utf-8")
            self.write(self.target(page), self.rewritten(page, text))

    def write(self, path, text):
        file = self.directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def target(self, path):
        """The place of a file of the repository on the site."""
        if path == pathlib.Path("README.md"):
            return pathlib.Path("index.md")
        if path.name == "README.md":
            return path.parent / "index.md"
        if path.parent.suffix == ".docc":
            name = "index.md" if path.stem == path.parent.stem else path.name
            return pathlib.Path("library") / path.parent.stem / name
        return path if path.suffix in {".md"} | IMAGES else path.with_name(path.name + ".md")

    def rewritten(self, page, text):
        lines, is_code, given = [], False, text.split("\n")
        for line, following in zip(given, [*given[1:], ""], strict=True):
            if match := FENCE.match(line):
                name = "" if is_code else LANGUAGES.get(match[2], match[2])
                if not (is_code or name):
                    name = "sh" if SHELL.match(following) else "text"
                lines.append(f"{match[1]}```{name}")
                is_code = not is_code
            elif is_code:
                lines.append(line)
            else:
                lines.append(LINK.sub(lambda match: self.replaced(page, match[1], match[2]), line))
        head = FRONT if page.name == "README.md" and not page.parent.parts else ""
        return head + "\n".join(lines)

    def replaced(self, page, text, address):
        """A link or an image as the site has it; of a picture in two colours each is shown where it fits."""
        if text.startswith("!") and address.endswith("-light.png"):
            dark = address.replace("-light.png", "-dark.png")
            return f"{text}({self.link(page, address)}#only-light){text}({self.link(page, dark)}#only-dark)"
        return f"{text}({self.link(page, address)})"

    def link(self, page, address):
        """The address on the site of what a page of the repository links."""
        name, mark, anchor = address.partition("#")
        if "://" in address or not name:
            return address
        file = (self.root / page).parent.joinpath(name).resolve()
        if not file.is_file():
            raise SystemExit(f"{page} links {name}, which is not there.")
        path = file.relative_to(self.root)
        target = self.target(path)
        if path.suffix in IMAGES:
            (self.directory / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, self.directory / target)
        elif path.suffix != ".md":
            code = file.read_text(encoding="utf-8").rstrip()
            self.write(target, f"# {path}\n\n````{SUFFIXES.get(path.suffix, 'text')}\n{code}\n````\n")
        here = self.target(page).parent
        up = [".."] * len(here.parts)
        while up and here.parts and target.parts[0] == here.parts[0]:
            here, target, up = pathlib.Path(*here.parts[1:]), pathlib.Path(*target.parts[1:]), up[1:]
        return "/".join([*up, *target.parts]) + mark + anchor
