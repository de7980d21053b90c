"""The bytes of the files of the replica."""

import hashlib


def content(file):
    if "text" in file:
        return file["text"].encode()
    line = hashlib.sha256(str(file["seed"]).encode()).digest()
    block = b"".join(hashlib.sha256(line + bytes([n])).digest() for n in range(256))
    whole = b"".join(
        hashlib.sha256(n.to_bytes(8, "big") + line).digest() + block[32:] for n in range(-(-file["size"] // len(block)))
    )
    return whole[: file["size"]]
