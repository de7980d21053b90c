internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Writes what a mirror has, with its digests, in the order of the paths (`docs/mirror-proof.md`).
struct MirrorProof: Sendable {
    private static let batch = 1024

    let work: StoredMirror.Work
    let directory: FilePath

    /// - Throws: `DownloadError` with code `fileExists` if its names are taken, else a disk's.
    func write() async throws {
        try await DiskThread.run {
            try DestinationChoice.makeDirectory(directory)
            // Resolved once: the database knows it by this name.
            let directory = SystemCalls.resolved(directory)
            let shard = work.job.shard
            // A shard's names are reserved for it.
            let lines =
                try shard.map { directory.appending($0.proofName) }
                ?? place("segdl-mirror", ".jsonl", in: directory)
            let sums =
                try shard.map { directory.appending($0.sumsName) } ?? place("SHA256SUMS", "", in: directory)
            try write(ListFile(lines), ListFile(sums))
        }
    }

    /// Where one of its files goes: beside the file of that name if that is the mirror's, or someone else's.
    private func place(_ stem: String, _ ending: String, in directory: FilePath) throws -> FilePath {
        let isRoot = directory == SystemCalls.resolved(work.job.root)
        for name in [stem + ending, stem + ".segdl" + ending] {
            if isRoot, try work.store.knows(RelativePath(name)) { continue }
            let path = directory.appending(name)
            let status = try storageCall("look at", path) { try SystemCalls.statusIfThere(path) }
            guard let status else { return path }
            if try work.store.proof(at: path.string) == FileIdentity(status) { return path }
        }
        throw DownloadError(
            .fileExists,
            "'\(directory.appending(stem + ending))' is no proof of this mirror; move it away, or say where the proof goes."
        )
    }

    private func write(_ lines: ListFile, _ sums: ListFile) throws {
        var last = ""
        while true {
            let files = try work.store.complete(in: work.run, after: last, atMost: Self.batch)
            guard let end = files.last else { break }
            last = end.path.text
            for kept in files {
                try lines.add(ProofLine(kept).bytes())
                try sums.add((try kept.sumLine() + "\n").utf8)
            }
        }
        for file in [lines, sums] {
            try file.finish { identity in try work.store.noteProof(at: file.path.string, identity) }
        }
    }
}

/// One line of a proof in JSON.
private struct ProofLine: Encodable {
    let path: String
    let url: String
    let size: Int64
    let sha256: String
    let etag: String?
    let lastModified: String?

    private enum CodingKeys: String, CodingKey {
        case path, url, size, sha256, etag
        case lastModified = "last_modified"
    }

    init(_ file: KeptFile) {
        path = file.path.text
        // The query may hold a signature.
        url = String(file.record.url.withoutQuery)
        size = file.record.identity.size
        sha256 = file.record.sha256
        etag = file.record.etag
        // What is no date would make the line unreadable as an entry of a list.
        lastModified = file.record.lastModified.flatMap { HTTPDate.seconds($0) == nil ? nil : $0 }
    }

    func bytes() throws(DownloadError) -> [UInt8] {
        try JSONText.line(self)
    }
}

extension KeptFile {
    fileprivate func sumLine() throws(DownloadError) -> String {
        let checksum = try Checksum(.sha256, record.sha256)
        return "\(ChecksumList.Entry(name: path.text, checksum: checksum))"
    }
}
