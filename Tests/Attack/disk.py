"""File systems on loop devices whose power can be cut, and small ones that fill up."""

import fcntl
import os
import pathlib
import struct
import subprocess
import tempfile

FS_IOC_SHUTDOWN = 0x8004587D
# Without the journal: nothing that was not synced reaches the disk.
NO_LOG_FLUSH = 2
FICLONE = 0x40049409
MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-F"],
    "xfs": ["mkfs.xfs", "-q", "-f"],
    "btrfs": ["mkfs.btrfs", "-q", "-f"],
    "vfat": ["mkfs.vfat", "-F", "32"],
}
SIZE = 400 << 20


def call(*command):
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)


def make(system, image, size, *options):
    with open(image, "wb") as file:
        file.truncate(size)
    call(*MAKE[system], *options, image)


class Disk:
    """A file system on a loop device.

    The power is cut by one of two ways. "shutdown" stops the file system at once, without its journal. "snapshot"
    keeps the device's bytes as they were at one instant, by a clone of the image on an xfs of its own; commands may end
    behind it, so `is_cut` is set before.
    """

    def __init__(self, system, way, home, size=SIZE):
        self.way = way
        self.place, self.vault = home / "disk", home / "vault"
        self.place.mkdir()
        self.is_cut = False
        # Kept here, because a file system that was shut down cannot be asked whether it is mounted.
        self.mounts = []
        try:
            self.image = home / "image"
            if way == "snapshot":
                self.vault.mkdir()
                # Room for the image and what its clone does not share.
                make("xfs", home / "vault.image", 3 * size)
                self.mount(home / "vault.image", self.vault)
                self.image = self.vault / "image"
            make(system, self.image, size)
            self.mount(self.image, self.place)
        except BaseException:
            self.close()
            raise

    def mount(self, image, place):
        # A mount namespace of another test may keep the file system that was cut, and `mount -o loop` would use its
        # device again.
        device = call("losetup", "--find", "--show", image).stdout.strip()
        try:
            call("mount", device, place)
            self.mounts.append(place)
        finally:
            # The device exists until the file system is unmounted.
            call("losetup", "--detach", device)

    def unmount(self):
        call("umount", self.mounts[-1])
        self.mounts.pop()

    def cut(self):
        self.is_cut = True
        if self.way == "shutdown":
            shut_down(self.place)
            return
        after = self.vault / "after"
        with open(self.image, "rb") as image, open(after, "wb") as clone:
            fcntl.ioctl(clone, FICLONE, image.fileno())
        self.image = after

    def boot(self):
        """Mounts the file system again after a cut. No process may use it any more."""
        self.unmount()
        self.mount(self.image, self.place)

    def close(self):
        while self.mounts:
            self.unmount()


def shut_down(place):
    directory = os.open(place, os.O_RDONLY)
    try:
        fcntl.ioctl(directory, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
    finally:
        os.close(directory)


def usable_systems(names):
    """The file systems that can be cut here, each with its way. Says which ones cannot."""
    usable = {}
    for name in names:
        reasons = []
        for way in ("shutdown", "snapshot"):
            try:
                trial(name, way)
                usable[name] = way
                break
            except subprocess.CalledProcessError as error:
                reasons.append(error.stderr.strip().splitlines()[0])
            except (OSError, KeyError) as error:
                reasons.append(str(error))
        else:
            print(f"{name} is not possible here: {'; '.join(dict.fromkeys(reasons))}", flush=True)
    if usable:
        print("power cuts: " + ", ".join(f"{name} by {way}" for name, way in usable.items()), flush=True)
    return usable


def trial(name, way):
    with tempfile.TemporaryDirectory(prefix="segdl-attack-") as home:
        disk = Disk(name, way, pathlib.Path(home))
        try:
            disk.cut()
            disk.boot()
        finally:
            disk.close()
