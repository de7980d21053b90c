internal import SystemPackage

/// Renames a complete and verified file to its final name: with others in a batch, or alone.
struct Publication: Sendable {
    let commit: Commit
    let commits: CommitQueue

    /// Renames the file to its final name, and returns that.
    ///
    /// - Throws: `DownloadError` with code `fileExists`, or `StorageError`, and the errors of
    ///   `willFinalize`.
    func run(
        _ willFinalize: (@Sendable (FilePath, FileIdentity) async throws -> Void)?
    ) async throws -> FilePath {
        guard let willFinalize else { return try await publish(nil) }
        let ready = try await prepare()
        try await willFinalize(commit.part.destination, ready.identity)
        return try await publish(ready)
    }

    /// Small files are prepared and renamed together.
    private func prepare() async throws -> Finalizer.ReadyFile {
        guard !commit.part.isUnnamed else { return try await commits.prepare(commit) }
        return try await DiskThread.run { try commit.ready() }
    }

    private func publish(_ ready: Finalizer.ReadyFile?) async throws -> FilePath {
        guard !commit.part.isUnnamed else { return try await commits.publish(commit, ready) }
        return try await DiskThread.run {
            let ready = try ready ?? commit.ready()
            try commit.record?(ready.identity).commit()
            return try Finalizer.publish(
                ready, of: commit.part, manifest: commit.manifest, policy: commit.policy,
                durability: commit.durability)
        }
    }
}
