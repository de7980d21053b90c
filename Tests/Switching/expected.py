"""The files before a line of the page, and after it, by its options."""

import fnmatch
import hashlib
import os
import re
import shlex

# Beside the files of a mirror, or of a shard of one.
PROOF = re.compile(r"(SHA256SUMS|segdl-mirror)(\.\d+-of-\d+)?(\.jsonl?)?")


def value(words, *names):
    """The value of the first of these options that is there."""
    for index, word in enumerate(words):
        for name in names:
            if word == name:
                return words[index + 1]
            if word.startswith(name + "="):
                return word[len(name) + 1:]
    return None


def prepared(words, files):
    """The files that are there before a line runs: those that its options are about."""
    disk = files["disk.iso"]
    if "-c" in words:
        return {"disk.iso": disk[:len(disk) // 2]}
    if "-N" in words or value(words, "--if-exists") in ("update", "replace"):
        return {"disk.iso": b"an older file"}
    if "-nc" in words or "--no-clobber" in words or value(words, "--if-exists") == "skip":
        return {"disk.iso": disk}
    if "verify" in words:
        tree = {name: content for name, content in files.items() if name.startswith("pub/")}
        sums = [f"{hashlib.sha256(content).hexdigest()}  {name[4:]}\n" for name, content in tree.items()]
        return {**tree, "pub/SHA256SUMS": "".join(sums).encode()}
    return {}


def mirrored(words, files):
    if "--dry-run" in words:
        return {}
    if any(word.endswith(".meta4") for word in words):
        return {f"{words[-1]}/disk.iso": files["disk.iso"]}
    tree = {name.removeprefix("pub/"): content for name, content in files.items() if name.startswith("pub/")}
    wanted, unwanted = value(words, "--include") or "*", value(words, "--exclude") or ""
    return {
        f"{words[-1]}/{name}": content for name, content in tree.items()
        if fnmatch.fnmatch(name.split("/")[-1], wanted) and not fnmatch.fnmatch(name.split("/")[-1], unwanted)
        and name.count("/") <= int(value(words, "--depth") or 9)}


def wanted(line, files):
    """The files that a line has to make or leave."""
    words = shlex.split(line)
    if "verify" in words:
        return without_proof(prepared(words, files))
    if "mirror" in words:
        return mirrored(words, files)
    if "tar" in words:
        return {"tree/a.txt": files["notes.txt"]}
    output = words[words.index(">") + 1] if ">" in words else value(words, "-o", "-qo", "--output")
    if output in ("-", "/dev/null"):
        return {}
    directory = value(words, "-d", "-P", "--output-dir", "--directory") or "."
    names = {"disk.iso", "notes.txt"} if "-i" in words else set()
    # Further sources of a file have its name; a Referer has none.
    for word in words:
        if "://" in word and (name := word.split("/")[-1].replace("latest", "disk.iso")) in files:
            names.add(name)
    return {os.path.normpath(f"{directory}/{output or name}"): files[name] for name in names}


def without_proof(files):
    return {name: content for name, content in files.items() if not PROOF.fullmatch(name.split("/")[-1])}


def found(directory, ignored):
    """The files in a directory, without those that lines get, and those that a mirror keeps for itself."""
    paths = [path for path in directory.rglob("*") if path.is_file() and not path.name.startswith(".segdl-mirror")]
    files = {str(path.relative_to(directory)): path.read_bytes() for path in paths}
    return without_proof({name: content for name, content in files.items() if name not in ignored})
