import SegmentedDL
import SystemPackage

extension Aria2Download {
    /// True if an earlier run left a file that must be resumed under its name: one with aria2's control file
    /// next to it or, with --continue, one that is no longer than a numbered file. Otherwise the numbered
    /// file would be complete, and the named file would remain unfinished. Blocks.
    var hasFileToContinue: Bool {
        guard let request = try? request(), let path = DestinationPath.expected(for: request),
            !request.startsOver, let length = Self.length(at: path)
        else { return false }
        if ControlFile.isThere(for: path) { return true }
        return request.takesOver
            && DestinationChoice.takenNames(for: path).contains { Self.length(at: $0) ?? 0 >= length }
    }

    private static func length(at path: FilePath) -> Int64? {
        let status = try? SystemCalls.statusFollowingLinks(path)
        return status?.kind == .file ? status?.size : nil
    }

    /// Checks the name sent by the server for a file that does not resume another. Blocks.
    ///
    /// - Throws: `DownloadError` with code `fileExists` if there is a file with that name that aria2 has not
    ///   finished.
    func checkIsFree(_ path: FilePath) throws(DownloadError) {
        guard ControlFile.isThere(for: path), Self.length(at: path) != nil else { return }
        throw DownloadError(
            .fileExists,
            "'\(path)' is an unfinished aria2 download, because '\(ControlFile.path(for: path))' exists; to resume it, specify it with --out."
        )
    }
}
