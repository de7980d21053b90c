import Benchmark
import SystemPackage

@testable import SegmentedDL

private let gap: Int64 = 1 << 20

func manifestBenchmarks() {
    for ranges in [16, 1024] {
        let manifest = manifest(ranges)
        // One operation each.
        measure("manifest-encode-\(ranges)-ranges") { try ManifestCodec.encode(manifest) }
        measure(
            "manifest-decode-\(ranges)-ranges", prepare: { try ManifestCodec.encode(manifest) },
            job: { bytes in try ManifestCodec.decode(bytes) })
    }

    let notes = (0..<1000).map { $0 * gap..<$0 * gap + gap / 2 }
    // One operation: a manifest with a journal of 1,000 lines.
    measure(
        "manifest-decode-journal-1000",
        prepare: { try notes.reduce(ManifestCodec.encode(manifest(16))) { $0 + ManifestCodec.encode($1) } },
        job: { bytes in try ManifestCodec.decode(bytes) })

    // 1,000 operations: a line is appended to the journal's file.
    measure(
        "manifest-append-1000",
        prepare: {
            let folder = try Folder()
            let path = folder.path.appending("file.part.segdl")
            return (folder, try ManifestDraft(manifest(16), beside: path, durably: false))
        },
        job: { (subject: inout (folder: Folder, draft: ManifestDraft)) in
            for range in notes { subject.draft.append(range) }
            subject.draft.close()
        })
}

private func manifest(_ ranges: Int) -> Manifest {
    let written = (0..<Int64(ranges)).map { [$0 * gap, $0 * gap + gap / 2] }
    return Manifest(
        url: "https://downloads.example.org/releases/12.5/image.iso",
        urlDigest: Digest.sha256("https://downloads.example.org/releases/12.5/image.iso".utf8),
        total: 2048 * gap, etag: "\"5f3a-1b2c3d4e\"", lastModified: "Sat, 01 Nov 2025 10:00:00 GMT",
        serverDigest: nil, inode: 1_234_567, boot: "6f1c9c2e-8f0b-4b52-9d1f-3d7a1e0a5c11", written: written,
        durable: written, updated: 1_760_000_000)
}
