"""Makes the site from a directory of DocC archives and one of man pages: build.py ARCHIVES MAN DIRECTORY"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import yaml

import check
import library
import manual
import stage

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MODULES = ["SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLTesting"]
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
ICON = ROOT / "Sources/SegmentedDLServer/Page/Files/icon.svg"


def fill(pages, archives, man):
    """Writes the sources of all pages, and returns what the navigation lists of the manual and of the library."""
    sources = stage.Stage(ROOT, pages)
    sources.fill()
    commands = []
    for name, text in manual.pages(man):
        sources.write(f"manual/{name}.md", text)
        commands.append({name.replace("-", " "): f"manual/{name}.md"})
    symbols = library.Library(archives, MODULES)
    for path, text in symbols.pages():
        sources.write(f"library/{path}", text)
    shutil.copytree(HERE / "assets", pages / "assets")
    shutil.copyfile(ICON, pages / "assets/icon.svg")
    return commands, [{module: symbols.navigation(module, "library/")} for module in MODULES]


def generate(work, commands, modules):
    """Makes the site of the pages in a directory, and returns where it is."""
    settings = yaml.safe_load((HERE / "mkdocs.yml").read_text(encoding="utf-8"))
    made = {"MANUAL": commands, "LIBRARY": modules}
    settings["nav"] = [
        {title: made[pages] if str(pages) in made else pages for title, pages in entry.items()}
        for entry in settings["nav"]]
    (work / "mkdocs.yml").write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    zensical = pathlib.Path(sys.executable).parent / "zensical"
    run = subprocess.run([zensical, "build", "--strict"], check=False, cwd=work, capture_output=True, text=True)
    if run.returncode:
        sys.exit(COLOURS.sub("", run.stdout + run.stderr).partition("Traceback")[0])
    return work / settings["site_dir"]


def main(archives, man, directory):
    if directory.exists() and any(directory.iterdir()) and not (directory / "search.json").exists():
        sys.exit(f"{directory} has files that are not those of a site; name another directory.")
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name).resolve()
        site = generate(work, *fill(work / "pages", archives, man))
        if check.main(site):
            return 1
        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(site, directory)
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(pathlib.Path, sys.argv[1:])))
