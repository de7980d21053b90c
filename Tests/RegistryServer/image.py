"""Images for the tests of registries."""

import gzip
import hashlib
import io
import json
import pathlib
import tarfile

INDEX = "application/vnd.oci.image.index.v1+json"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"
DOCKER = {
    INDEX: "application/vnd.docker.distribution.manifest.list.v2+json",
    MANIFEST: "application/vnd.docker.distribution.manifest.v2+json",
    CONFIG: "application/vnd.docker.container.image.v1+json",
    LAYER: "application/vnd.docker.image.rootfs.diff.tar.gzip",
}


def content(seed, size):
    """Bytes that do not compress."""
    return hashlib.shake_256(str(seed).encode()).digest(size)


class Image:
    """An image for two platforms that share their first layer, and its blobs by digest."""

    def __init__(self, size, seed=1, types=None, comment=False, single=False):
        self.types = types or {}
        self.blobs = {}
        self.manifests = {}
        shared = self.layer("shared", content(f"{seed} shared", size))
        children = []
        for number, architecture in enumerate(["amd64", "arm64"]):
            own = self.layer(architecture, content(f"{seed} {architecture}", size // 2))
            child = self.manifest(architecture, [shared, own])
            platform = {"architecture": architecture, "os": "linux"} | ({"variant": "v8"} if number else {})
            children.append({**child, "platform": platform})
        index = {"schemaVersion": 2, "mediaType": self.type(INDEX), "manifests": children}
        text = json.dumps(index, indent=3).encode()
        if comment:
            # Not in UTF-8, which JSON demands.
            text = text.replace(b"{", b'{ "comment": "caf\xe9",', 1)
        self.whole = children[-1] if single else self.add(INDEX, text, self.manifests)

    def type(self, name):
        return self.types.get(name, name)

    def add(self, kind, data, where=None):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        (self.blobs if where is None else where)[digest] = (self.type(kind), data)
        return {"mediaType": self.type(kind), "digest": digest, "size": len(data)}

    def layer(self, name, data):
        tar = io.BytesIO()
        with tarfile.open(fileobj=tar, mode="w") as archive:
            info = tarfile.TarInfo(f"{name}.bin")
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        descriptor = self.add(LAYER, gzip.compress(tar.getvalue(), 1, mtime=0))
        return descriptor, "sha256:" + hashlib.sha256(tar.getvalue()).hexdigest()

    def manifest(self, architecture, layers):
        config = {
            "architecture": architecture, "os": "linux", "config": {},
            "rootfs": {"type": "layers", "diff_ids": [plain for _, plain in layers]},
        }
        manifest = {
            "schemaVersion": 2, "mediaType": self.type(MANIFEST),
            "config": self.add(CONFIG, json.dumps(config).encode()),
            "layers": [descriptor for descriptor, _ in layers],
        }
        return self.add(MANIFEST, json.dumps(manifest, indent=3).encode(), self.manifests)

    def write(self, directory, tag):
        """Writes an OCI layout."""
        place = pathlib.Path(directory)
        for digest, (_, data) in {**self.blobs, **self.manifests}.items():
            path = place / "blobs" / digest.replace(":", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        line = {**self.whole, "annotations": {"org.opencontainers.image.ref.name": tag}}
        (place / "index.json").write_text(json.dumps({"schemaVersion": 2, "manifests": [line]}))
        (place / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
