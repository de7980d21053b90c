import SegmentedDLSupport
package import SystemPackage

/// A feature that a file system may lack and that downloads do not depend on, with the errors that indicate
/// its absence. Any other error of its system calls is a disk error, which ends the download.
///
/// The same table is in `docs/file-systems.md`.
package enum FileSystemFeature: String, CaseIterable, Sendable {
    case locks = "locks"
    case dates = "dates"
    case attributes = "attributes"
    case unnamedFiles = "unnamed files"
    case reservedBlocks = "reserved blocks"
    case lengths = "lengths"
    case exclusiveNames = "exclusive names"
    case links = "hard links"
    case modes = "modes"
    case fileSync = "sync of files"
    case directorySync = "sync of directories"

    /// Returns true if an error indicates that the file system lacks the feature.
    package func isLacking(after error: Errno) -> Bool { errors?.contains(error) ?? true }

    /// Runs a system call that needs the feature.
    ///
    /// - Returns: False if the file system lacks the feature.
    /// - Throws: Any other error.
    package func isThere(_ call: () throws(Errno) -> Void) throws(Errno) -> Bool {
        do {
            try call()
            return true
        } catch  where isLacking(after: error) {
            return false
        }
    }

    /// The errors that indicate its absence; `nil` if all errors do, because nothing depends on it.
    package var errors: [Errno]? {
        switch self {
        case .dates, .attributes, .modes: nil
        // Lustre, NFS without its lock daemon, FUSE.
        case .locks: [.noFunction, .noLocks, .notSupported, .invalidArgument, .notPermitted]
        case .unnamedFiles:
            [
                .notSupported, .noFunction, .isDirectory, .invalidArgument, .noSuchFileOrDirectory,
                .notPermitted,
            ]
        case .reservedBlocks, .lengths: [.notSupported, .noFunction, .invalidArgument, .notPermitted]
        // FUSE also reports unsupported calls as an I/O error. If it really is one, the last fallback, a
        // plain rename, fails too.
        case .exclusiveNames: [.invalidArgument, .noFunction, .notSupported, .notPermitted, .ioError]
        case .links:
            [
                .notPermitted, .permissionDenied, .noFunction, .notSupported, .invalidArgument,
                .tooManyLinks, .improperLink, .ioError,
            ]
        case .fileSync: [.noFunction, .notSupported, .invalidArgument]
        // A directory that is writable but not readable cannot be opened.
        case .directorySync:
            [
                .noFunction, .notSupported, .invalidArgument, .badFileDescriptor, .isDirectory,
                .permissionDenied, .notPermitted,
            ]
        }
    }

    /// The consequence of its absence, as a clause.
    package var cost: String {
        switch self {
        case .locks: "do not let two processes download the same file"
        case .dates: "files are dated with the time of their download, and not recognized by their date"
        case .attributes: "a finished file is recognized only by its length and date"
        case .unnamedFiles: "a crash may leave a NAME.part of a small file"
        case .reservedBlocks: "a full disk is detected late"
        case .lengths: "one connection, and a part file truncated by another program is detected late"
        case .exclusiveNames, .links: "a file created in the meantime by another program may be replaced"
        case .modes: "a replaced file loses its mode"
        case .fileSync: "a power cut can damage files that are complete"
        case .directorySync: "a power cut can remove a file's name"
        }
    }

    /// The message about its absence.
    package func notice(in directory: FilePath) -> String {
        "The file system of '\(directory)' has no \(rawValue): \(cost)"
    }

    private static let reported = Lock<[FileSystemFeature: Set<UInt64>]>([:])

    /// Returns true the first time that this process calls it for a device's file system.
    package func isNew(on device: UInt64) -> Bool {
        Self.reported.withLock { $0[self, default: []].insert(device).inserted }
    }
}
