internal import SystemPackage

/// Chooses the final name of a file, once the requested name is known.
package enum DestinationChoice {
    /// The result of the choice.
    package enum Outcome: Equatable {
        case proceed(FilePath)
        /// A file has the name, and the policy is to keep it.
        case skip(FilePath)

        var path: FilePath {
            switch self {
            case .proceed(let path), .skip(let path): path
            }
        }
    }

    /// Applies the policy for existing files. Blocks.
    ///
    /// - Parameters:
    ///   - busy: Names that other downloads write; `rename` avoids them too.
    ///   - reason: A clause that explains why the existing file is not the requested one.
    ///   - isComplete: True if the existing file cannot be resumed.
    /// - Throws: `DownloadError` with code `fileExists`, `badPath` or `permissionDenied`.
    package static func decide(
        _ path: FilePath, policy: ExistingFilePolicy, busy: Set<FilePath> = [], because reason: String? = nil,
        isComplete: Bool = false
    ) throws -> Outcome {
        try checkDirectory(path.directory)
        guard let status = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) else {
            return .proceed(busy.contains(path) ? freeName(for: path, busy: busy) : path)
        }
        if status.kind == .directory {
            throw DownloadError(
                .badPath, "'\(path)' is a directory; specify a file, or use it as the directory.")
        }
        if status.kind == .other {
            throw DownloadError(
                .badPath, "'\(path)' is not a regular file; choose another name.")
        }
        return switch policy {
        case .fail: throw existsError(path, because: reason, isComplete: isComplete)
        case .replace, .update: .proceed(path)
        case .rename: .proceed(freeName(for: path, busy: busy))
        case .skip: .skip(path)
        }
    }

    /// Returns the first of `name.1.ext`, `name.2.ext` … that does not exist.
    package static func freeName(for path: FilePath, busy: Set<FilePath> = []) -> FilePath {
        var number = 1
        while true {
            let candidate = numbered(path, number)
            if !busy.contains(candidate), (try? SystemCalls.status(candidate)) == nil { return candidate }
            number += 1
        }
    }

    /// Returns the names that precede `freeName`.
    package static func takenNames(for path: FilePath) -> [FilePath] {
        let free = freeName(for: path)
        return Array((1...).lazy.map { numbered(path, $0) }.prefix { $0 != free })
    }

    package static func numbered(_ path: FilePath, _ number: Int) -> FilePath {
        let ending = path.extension.map { "." + $0 } ?? ""
        let end = ".\(number)\(ending)"
        let stem = SafeFileName.prefix(of: path.stem ?? "", bytes: SafeFileName.longest - end.utf8.count)
        return path.directory.appending(stem + end)
    }

    package static func existsError(
        _ path: FilePath, because reason: String? = nil, isComplete: Bool = false
    ) -> DownloadError {
        let reason = reason.map { ", and \($0)" } ?? ""
        var error = DownloadError(
            .fileExists,
            "'\(path.shown)' exists\(reason); remove it, choose another name, or set a policy for existing files."
        ).remedied(by: isComplete ? .completeFilePolicy : .existingFilePolicy)
        error.existing = path.string
        return error
    }

    /// Creates a directory and its missing parents. Blocks.
    package static func makeDirectory(_ path: FilePath) throws {
        if let status = try? SystemCalls.statusFollowingLinks(path) {
            guard status.kind == .directory else {
                throw DownloadError(
                    .badPath, "'\(path.shown)' is a file, not a directory; choose another one.")
            }
            return
        }
        let parent = path.directory
        if parent != path, parent != "." { try makeDirectory(parent) }
        do {
            try SystemCalls.makeDirectory(path)
        } catch Errno.fileExists {
            return
        } catch {
            throw StorageError(ofCall: StorageError.makingDirectory, path: path, errno: error)
        }
    }

    /// - Throws: `DownloadError` or `StorageError` if files cannot be created there. Blocks.
    package static func checkDirectory(_ directory: FilePath) throws {
        let status = try storageCall("use the directory", directory) {
            try SystemCalls.statusFollowingLinks(directory)
        }
        guard status.kind == .directory else {
            throw DownloadError(.badPath, "'\(directory.shown)' is not a directory; choose another path.")
        }
        try storageCall("write in", directory) { try SystemCalls.mayWrite(in: directory) }
    }
}
