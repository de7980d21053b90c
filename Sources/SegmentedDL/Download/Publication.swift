internal import SystemPackage

/// Renames a complete and verified file to its final name: with others in a batch, or alone.
struct Publication: Sendable {
    let commit: Commit
    let commits: CommitQueue

    /// Renames the file to its final name, and returns that.
    ///
    /// - Throws: `DownloadError` with code `fileExists`, or `StorageError`, and the errors of the hook.
    func run(_ hook: PublishHook?) async throws -> FilePath {
        switch hook {
        case .ask(let ask):
            let ready = try await prepare(commit)
            try await ask(commit.part.destination, ready.identity)
            return try await publish(commit, ready)
        case .record(let entry):
            var commit = commit
            commit.journal = entry
            return try await publish(commit, nil)
        case nil:
            return try await publish(commit, nil)
        }
    }

    /// Small files are prepared and renamed together.
    private func prepare(_ commit: Commit) async throws -> Finalizer.ReadyFile {
        guard !commit.part.isUnnamed else { return try await commits.prepare(commit) }
        return try await DiskThread.run { try commit.ready() }
    }

    private func publish(
        _ commit: Commit, _ ready: Finalizer.ReadyFile?
    ) async throws -> FilePath {
        guard !commit.part.isUnnamed else { return try await commits.publish(commit, ready) }
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
