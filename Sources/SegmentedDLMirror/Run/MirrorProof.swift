internal import SegmentedDL
internal import SystemPackage

/// Writes the proof of a mirror: its files and their digests, sorted by path (`docs/mirror-proof.md`).
struct MirrorProof: Sendable {
    private static let batch = 1024

    let session: MirrorSession
    let directory: FilePath
    /// The number of files in the proof.
    let files: Int

    /// True if the proof covers files of earlier runs: the images of a layout share it, and each is the
    /// source of a run.
    private var coversOthers: Bool { session.source?.isImage ?? false }

    /// Writes the proof, unless the existing one has the same content.
    ///
    /// - Throws: `DownloadError` with code `fileExists` if its names are taken, or an error of the disk.
    func write() async throws {
        try await DiskThread.run {
            try DestinationChoice.makeDirectory(directory)
            // Resolve it once, because the database stores the resolved path.
            let directory = SystemCalls.resolved(directory)
            let shard = session.job.shard
            // The names of a shard's files are reserved, so they are never in use.
            let lines =
                try shard.map { directory.appending($0.proofName) }
                ?? place("segdl-mirror", ".jsonl", in: directory) { earlierProof(at: $0) != nil }
            let sums =
                try shard.map { directory.appending($0.sumsName) }
                ?? place("SHA256SUMS", "", in: directory) { try isOfEarlierProof($0, in: directory) }
            if try isWritten(at: [lines, sums]) { return }
            try write(ListFile(lines), ListFile(sums))
        }
    }

    /// Returns true if the previous run has written the same proof. It then also counts as the proof of this
    /// run.
    private func isWritten(at paths: [FilePath]) throws -> Bool {
        guard !session.writer.hasChangedFiles, session.run.pass == 1, !coversOthers else { return false }
        var identities: [FileIdentity] = []
        for path in paths {
            guard let proof = try session.store.proof(at: path.string), proof.run == session.run.id - 1,
                let before = proof.files, proof.identity.isAt(path),
                try session.store.hasSameFiles(session.run, files, before: before)
            else { return false }
            identities.append(proof.identity)
        }
        for (path, identity) in zip(paths, identities) { try note(identity, at: path) }
        return true
    }

    private func note(_ identity: FileIdentity, at path: FilePath, sha256: String? = nil) throws {
        try session.store.note(
            WrittenProof(identity: identity, run: session.run.id, files: files, sha256: sha256),
            at: path.string)
    }

    /// Returns true if a file has the content of a proof that the mirror has written.
    private func isCopyOfProof(_ path: FilePath, _ status: SystemCalls.FileStatus) throws -> Bool {
        guard status.kind == .file else { return false }
        let digests = try session.store.proofDigests(ofSize: status.size)
        return try !digests.isEmpty && digests.contains(FileDigest.sha256(of: path))
    }

    /// Returns the proof that the mirror wrote with a state that was lost; `nil` if the file is not one, or
    /// is the list that this run reads.
    private func earlierProof(at path: FilePath) -> EarlierProof? {
        let identity = FileIdentity.ofFile(at: path)
        if case .file(let list, _, _) = session.source,
            FileIdentity.ofFile(at: SystemCalls.resolved(list)) == identity
        {
            return nil
        }
        guard identity != nil else { return nil }
        return EarlierProof(at: path) { file, url in
            try session.store.url(of: file).map { $0.withoutQuery == url.withoutQuery } ?? false
        }
    }

    /// Returns true if a file has the content of the list of digests that was written with an earlier proof.
    private func isOfEarlierProof(_ path: FilePath, in directory: FilePath) throws -> Bool {
        let digests = ["segdl-mirror.jsonl", "segdl-mirror.segdl.jsonl"].compactMap {
            earlierProof(at: directory.appending($0))?.digestOfSums
        }
        return try !digests.isEmpty && digests.contains(FileDigest.sha256(of: path))
    }

    /// Returns the path of one of the proof's files. An existing file that belongs to the mirror or to
    /// another program is kept, and the proof is written under a different name.
    ///
    /// - Parameter isEarlier: Returns true for a file that the mirror wrote with a state that was lost. Only
    ///   in the mirror's root is such a file certain to be of this mirror.
    private func place(
        _ stem: String, _ ending: String, in directory: FilePath, isEarlier: (FilePath) throws -> Bool
    ) throws -> FilePath {
        let isRoot = directory == SystemCalls.resolved(session.job.root)
        var earlier: FilePath?
        for name in [stem + ending, stem + ".segdl" + ending] {
            if isRoot, try session.store.knows(RelativePath(name)) { continue }
            let path = directory.appending(name)
            let status = try storageCall("look at", path) { try SystemCalls.statusIfThere(path) }
            guard let status else { return earlier ?? path }
            if try session.store.isProof(FileIdentity(status)) || isCopyOfProof(path, status) { return path }
            // A run was killed before the new proof was renamed.
            if try session.store.proof(at: path.string)?.identity.isAt(ListFile.temporary(for: path)) == true
            {
                return path
            }
            if isRoot, status.kind == .file, try isEarlier(path) { earlier = path }
        }
        if let earlier { return earlier }
        throw DownloadError(
            .fileExists,
            "'\(directory.appending(stem + ending))' is not a proof of this mirror; move it, or choose another directory for the proof."
        )
    }

    private func write(_ lines: ListFile, _ sums: ListFile) throws {
        var last = ""
        let (digestOfLines, digestOfSums) = (try Digest(.sha256), try Digest(.sha256))
        while true {
            let files = try session.store.complete(
                in: session.run, orEarlier: coversOthers, after: last, atMost: Self.batch)
            guard let end = files.last else { break }
            last = end.path.text
            for var kept in files {
                let place = session.job.root.appending(kept.path.text)
                if coversOthers, !kept.record.identity.isAt(place) { continue }
                kept.path = try RelativePath(session.job.rootInProof + kept.path.text)
                let line = ProofLine(file: kept).bytes
                let sum = try Array((kept.sumLine() + "\n").utf8)
                line.withUnsafeBytes { digestOfLines.update($0) }
                sum.withUnsafeBytes { digestOfSums.update($0) }
                try lines.add(line)
                try sums.add(sum)
            }
        }
        for (file, digest) in [(lines, digestOfLines), (sums, digestOfSums)] {
            let sha256 = digest.finishChecksum().hexadecimal
            try file.finish { try note($0, at: file.path, sha256: sha256) }
        }
    }
}

/// One line of a proof in JSON, with its keys in alphabetical order.
///
/// Encoded by hand, because each run writes a line for each file, and an encoder took a tenth of the time
/// spent on an unchanged file.
private struct ProofLine {
    let file: KeptFile

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(512)
        func add(_ name: StaticString, _ value: some Sequence<UInt8>) {
            bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
            name.withUTF8Buffer { bytes.append(contentsOf: $0) }
            bytes.append(contentsOf: value)
        }
        let record = file.record
        if let etag = record.etag { add(#""etag":"#, JSONString.quoted(etag)) }
        if let id = record.digest(.gitsha1) { add(#""gitsha1":"#, JSONString.quoted(id)) }
        // Omit a text that is not a date, because the line could not be used as a list entry.
        if let date = record.lastModified, HTTPDate.seconds(date) != nil {
            add(#""last_modified":"#, JSONString.quoted(date))
        }
        add(#""path":"#, JSONString.quoted(file.path.text))
        if let proof = record.proof { add(#""proof":"#, proof.utf8) }
        add(#""sha256":"#, JSONString.quoted(record.sha256))
        add(#""size":"#, "\(record.identity.size)".utf8)
        // The query may contain a signature.
        add(#""url":"#, JSONString.quoted(String(record.url.withoutQuery)))
        bytes.append(contentsOf: "}\n".utf8)
        return bytes
    }
}

extension KeptFile {
    fileprivate func sumLine() throws(DownloadError) -> String {
        let checksum = try Checksum(.sha256, record.sha256)
        return "\(ChecksumList.Entry(name: path.text, checksum: checksum))"
    }
}
