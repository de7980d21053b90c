"""Power cuts and full disks. Both need root."""

import contextlib
import os
import signal
import subprocess
import time

from outcomes import Outcome, classify, read
from resume import kept
from tools import MB, Run, rate, shell


@contextlib.contextmanager
def mounted(image, place):
    """A loop device on an image, with its file system mounted."""
    device = shell("losetup", "-f", "--show", image)
    try:
        os.makedirs(place, exist_ok=True)
        shell("mount", "-t", "ext4", device, place)
        try:
            yield device
        finally:
            for _ in range(50):
                if subprocess.run(["umount", place], check=False, capture_output=True).returncode == 0:
                    break
                time.sleep(0.1)
    finally:
        shell("losetup", "-d", device)


def power_cut(after):
    """Copies the disk of a stopped download as it is at that moment, and resumes from the copy, with another boot
    identity. The copy counts if the device had no write meanwhile, so it is of one moment."""
    def row(bench, tool, work, case):
        size = 48 * MB
        image, copy = f"{work}.image", f"{work}.copy"
        url = bench.server.url("plain", case, size=size, rate=rate(tool, 4 * MB))
        try:
            with open(image, "wb") as file:
                file.truncate(200 * MB)
            shell("mkfs.ext4", "-q", "-F", image)
            with mounted(image, work) as device:
                os.mkdir(f"{work}/in")
                shell("sync", "-f", work)
                writes = f"/sys/block/{os.path.basename(device)}/stat"
                run = Run(bench, tool, url, f"{work}/in")
                try:
                    time.sleep(after)
                    run.signal(signal.SIGSTOP)
                    while True:
                        seen = read(writes)
                        shell("cp", "--sparse=always", image, copy)
                        if read(writes) == seen:
                            break
                finally:
                    run.kill()
            before = bench.server.ask("peak", case)["bytesSent"]
            with mounted(copy, work):
                other_boot = ["unshare", "-m", "sh", "-c",
                              f"mount --bind {bench.boot} /proc/sys/kernel/random/boot_id && exec \"$@\"", "sh"]
                run = Run(bench, tool, url, f"{work}/in", before=other_boot)
                status = run.wait()
                name = classify(tool, f"{work}/in", status, [bench.server.truth(size)])
                return Outcome(name, run.seconds, kept(bench, case, before, name, size))
        finally:
            for path in image, copy:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
    return row


def full_disk(bench, tool, work, case):
    """A file system of 4 MiB for a file of 8 MB; then room is made, and the same command run again."""
    url = bench.server.url("plain", case, rate=rate(tool, 4 * MB))
    shell("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", work)
    try:
        first = Run(bench, tool, url, work)
        name = classify(tool, work, first.wait(), [bench.server.truth()])
        shell("mount", "-o", "remount,size=64m", work)
        again = classify(tool, work, Run(bench, tool, url, work).wait(), [bench.server.truth()])
        return Outcome(name if name.startswith("WRONG") else again, first.seconds, f"full: {name}; with room: {again}")
    finally:
        shell("umount", work)
