package import SystemPackage

/// A failed file system call.
package struct StorageError: Error, Sendable {
    /// The failed action, such as "write".
    package var action: String
    package var path: FilePath
    package var errno: Errno
    /// True if another program has truncated the file.
    package var isCut = false
    /// True if the file system has free blocks, but no inode for another file.
    package var lacksInodes = false
    /// The treatment of the written bytes by the next run.
    package var kept = Kept.resumable

    package enum Kept: Sendable, Equatable {
        /// The next run resumes after them.
        case resumable
        /// They are lost.
        case nothing
        /// The next run starts over, because the server sends no byte ranges. This many bytes are kept until
        /// then.
        case useless(Int64)
    }

    package init(action: String, path: FilePath, errno: Errno, isCut: Bool = false) {
        self.action = action
        self.path = path
        self.errno = errno
        self.isCut = isCut
    }

    /// Creates the error of a call that has just failed. Blocks.
    package init(ofCall action: String, path: FilePath, errno: Errno) {
        self.init(action: action, path: path, errno: errno)
        lacksInodes =
            errno == .noSpace && Self.creatingActions.contains(action)
            && SystemCalls.lacksInodes(path.directory)
    }

    /// The actions that may need an inode.
    private static let creatingActions: Set<String> = [
        "open", "create", "create a file in", "make a file in", "name", "rename", "give the final name to",
        makingDirectory,
    ]

    package static func cut(_ path: FilePath) -> StorageError {
        StorageError(action: "write", path: path, errno: .ioError, isCut: true)
    }

    private var again: String {
        switch kept {
        case .resumable: "run it again to resume"
        case .nothing: "run it again"
        case .useless(0):
            "run it again: it starts from the beginning, because the server sends no byte ranges, and nothing is kept"
        case .useless(let bytes):
            "run it again: it starts from the beginning, because the server sends no byte ranges. Until then '\(path.shown)' keeps \(bytes) bytes, which will not be used"
        }
    }

    /// The failure as a clause: "cannot write 'x' (no space left on device)".
    var clause: String { "cannot \(action) '\(path.shown)' (\(errno.description.lowercasedFirst))" }

    /// The action that creates a directory, which a file system may refuse because of its name.
    static let makingDirectory = "create the directory"

    /// The part of a name that some file systems refuse; usually `nil`.
    private static func doubt(_ name: String) -> String? {
        if let device = EscapedName.device(name) { return "the name '\(device)'" }
        let characters = EscapedName.doubtful(name)
        return characters.isEmpty ? nil : "names with '\(characters)'"
    }

    /// The error that the caller of a download receives.
    package var asDownloadError: DownloadError {
        if isCut {
            return DownloadError(
                .badPath,
                "'\(path.shown)' was replaced or truncated by another program while it was written; run it again.",
                isRetryable: true, cause: self)
        }
        let what = "Cannot \(action) '\(path.shown)': \(errno.description.lowercasedFirst)"
        if NameProbe.refusals.contains(errno), let name = path.lastComponent?.string,
            let doubt = Self.doubt(name), ["open", "name", Self.makingDirectory].contains(action)
        {
            return DownloadError(
                .badPath, what + "; its file system may refuse \(doubt): choose another name.", cause: self)
        }
        return switch errno {
        case .noSpace where lacksInodes:
            DownloadError(
                .diskFull,
                what + "; its file system has no room for more files (inodes): remove some, and \(again).",
                isRetryable: true, cause: self)
        case .noSpace, Errno(rawValue: 122):  // EDQUOT has no portable name in swift-system
            DownloadError(
                .diskFull, what + "; make room and \(again).", isRetryable: true, cause: self)
        case .permissionDenied, .notPermitted, .readOnlyFileSystem:
            DownloadError(.permissionDenied, what + "; choose another directory.", cause: self)
        case .notDirectory:
            DownloadError(
                .badPath, "'\(path.removingLastComponent().shown)' is not a directory; choose another one.",
                cause: self)
        case .isDirectory, .fileNameTooLong, .noSuchFileOrDirectory,
            .tooManySymbolicLinkLevels:
            DownloadError(.badPath, what + "; choose another path.", cause: self)
        case .fileTooLarge:
            DownloadError(
                .ioFailed,
                // The limit does not change while the process runs, so a queue would wait forever.
                what + "; choose another file system, or raise the limit (ulimit -f), and \(again).",
                cause: self)
        case .badFileDescriptor:
            DownloadError(
                .ioFailed, what + "; it is not open: redirect it to a file or a program.", cause: self)
        case .brokenPipe:
            DownloadError(.ioFailed, what + "; the program that reads it has ended.", cause: self)
        case .noSuchAddressOrDevice:
            DownloadError(
                .badPath, what + "; if it is a pipe, start the program that reads it first.", cause: self)
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
            DownloadError(
                .ioFailed, what + "; raise the limit (ulimit -n) and \(again).",
                isRetryable: true, cause: self)
        default:
            DownloadError(
                .ioFailed, what + "; check the disk and \(again).", isRetryable: true, cause: self)
        }
    }
}

extension StorageError: CustomStringConvertible {
    /// The message for the user, because some callers show any error.
    package var description: String { asDownloadError.message }
}

/// Runs a file system call, adding the action and the path to its error.
package func storageCall<Result>(_ action: String, _ path: FilePath, _ body: () throws -> Result)
    throws(StorageError)
    -> Result
{
    do {
        return try body()
    } catch let errno as Errno {
        throw StorageError(ofCall: action, path: path, errno: errno)
    } catch {
        throw StorageError(action: action, path: path, errno: .ioError)
    }
}
