"""The kinds of attack by their names."""

import importlib

NAMES = [
    "cut_queue", "cut_mirror", "cut_fetch", "cut_replace", "cut_repair", "kill_fetch", "kill_queue", "kill_mirror",
    "crowd", "kill_birth", "remains", "full_disk",
]  # fmt: skip

KINDS = {name.replace("_", "-"): importlib.import_module(f".{name}", __package__) for name in NAMES}


def purpose(name):
    """The first line of what a kind says about itself."""
    return KINDS[name].__doc__.splitlines()[0]
