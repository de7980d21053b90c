internal import SystemPackage

/// Renames a complete and verified file to its final name: with others in a batch, or alone.
struct Publication: Sendable {
    let file: IncompleteFile
    /// The file's length in bytes.
    let length: Int64
    /// The file's date, in seconds since 1970; `nil` for the time of its last write.
    let modified: Int64?
    /// The remote file that it is a copy of; `nil` if its origin is recorded elsewhere.
    let origin: OriginMark.Origin?
    let policy: ExistingFilePolicy
    let durability: Durability
    let commits: CommitQueue

    /// Renames the file to its final name, and returns that.
    ///
    /// - Throws: `DownloadError` with code `fileExists`, or `StorageError`, and the errors of the hook.
    func run(_ hook: PublishHook?) async throws -> FilePath {
        var commit = Commit(
            part: file.part, paths: file.paths, manifest: file.store, length: length, modified: modified,
            origin: origin,
            policy: policy, durability: durability)
        switch hook {
        case .ask(let ask):
            let ready = try await prepare(commit)
            try await ask(file.part.destination, ready.identity)
            return try await publish(commit, ready)
        case .record(let entry):
            commit.journal = entry
            return try await publish(commit, nil)
        case nil:
            return try await publish(commit, nil)
        }
    }

    /// Small files are prepared and renamed together.
    private func prepare(_ commit: Commit) async throws -> Finalizer.ReadyFile {
        guard !file.part.isUnnamed else { return try await commits.prepare(commit) }
        return try await DiskThread.run { try commit.ready() }
    }

    private func publish(
        _ commit: Commit, _ ready: Finalizer.ReadyFile?
    ) async throws -> FilePath {
        guard !file.part.isUnnamed else { return try await commits.publish(commit, ready) }
        return try await DiskThread.run {
            let ready = try ready ?? commit.ready()
            if let entry = commit.journal {
                entry.record(ready.identity)
                try entry.journal.commit()
            }
            return try Finalizer.publish(
                ready, of: commit.part, manifest: commit.manifest, policy: commit.policy,
                durability: commit.durability)
        }
    }
}
