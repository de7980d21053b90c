package import SegmentedDL
internal import SystemPackage

/// The directories in which the daemon's callers may place files.
///
/// Paths from callers are resolved component by component, and symbolic links below the allowed directories
/// are not followed. A caller cannot create links. Another program on this machine that creates one between
/// the check and the first byte could write there without the daemon anyway.
package struct Fence: Sendable {
    /// The directories, absolute and without links; the first one is the default.
    package let directories: [FilePath]
    /// The path prefix of the daemon's own files, which may lie below a directory.
    private let reserved: FilePath?

    /// Creates missing directories.
    ///
    /// - Parameter reserved: The daemon's queue; a file whose path has this prefix is refused.
    /// - Throws: `DownloadError` with code `badPath`.
    package init(_ directories: [FilePath], reserved: FilePath? = nil) throws(DownloadError) {
        self.reserved = reserved.map(SystemCalls.resolved)
        var resolved: [FilePath] = []
        for directory in directories {
            do {
                try DestinationChoice.makeDirectory(directory)
            } catch {
                throw error as? DownloadError ?? DownloadError(.badPath, "\(error)")
            }
            resolved.append(SystemCalls.resolved(directory))
        }
        self.directories = resolved
    }

    /// Returns the destination of a file.
    ///
    /// - Parameters:
    ///   - directory: The caller's directory, which may be relative to the default directory; `nil` for the
    ///     default.
    ///   - name: The file name, possibly with directories; `nil` for the server's.
    /// - Throws: `DownloadError` with code `badPath` for a path outside the allowed directories.
    package func place(
        directory: String?, name: String?
    ) throws(DownloadError) -> DownloadRequest.Destination {
        let directory = try inside(directory ?? "")
        guard let name, !name.isEmpty else { return .directory(directory) }
        let steps = Self.steps(of: name)
        guard !name.hasPrefix("/"), let last = steps.last, Self.isSafe(last) else { throw outside(name) }
        let file = try descend(from: directory, Array(steps.dropLast()), text: name).appending(last)
        if let status = try? SystemCalls.status(file), status.kind != .file { throw outside(name) }
        try checkIsFree(file)
        return .file(file)
    }

    /// Returns the absolute path of a caller's directory.
    ///
    /// - Throws: `DownloadError` with code `badPath` for a path outside the allowed directories.
    package func directory(_ text: String) throws(DownloadError) -> FilePath {
        let directory = try inside(text)
        try checkIsFree(directory)
        return directory
    }

    /// Checks that a file name sent by a server is not that of one of the daemon's own files.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    package func check(
        _ destination: DownloadRequest.Destination, named name: String?
    ) throws(DownloadError) {
        guard case .directory(let directory) = destination, let name else { return }
        try checkIsFree(directory.appending(name))
    }

    /// Returns a path that is not hidden for a caller's file whose URL has a hidden name; `nil` if the name
    /// may be kept.
    ///
    /// - Throws: `DownloadError` with code `badPath` for a name that consists of dots.
    package func visiblePath(
        _ destination: DownloadRequest.Destination, named name: String?
    ) throws(DownloadError) -> FilePath? {
        guard case .directory(let directory) = destination, let name, !Self.isSafe(name) else { return nil }
        let visible = String(name.unicodeScalars.drop { $0 == "." || $0 == " " })
        guard !visible.isEmpty else { throw outside(name) }
        return directory.appending(visible)
    }

    private func checkIsFree(_ file: FilePath) throws(DownloadError) {
        guard let reserved, file.string.hasPrefix(reserved.string) else { return }
        throw outside(file.string)
    }

    private func inside(_ text: String) throws(DownloadError) -> FilePath {
        let steps = Self.steps(of: text)
        guard text.hasPrefix("/") else { return try descend(from: directories[0], steps, text: text) }
        for root in directories {
            let beginning = root.components.map(\.string)
            guard steps.starts(with: beginning) else { continue }
            return try descend(from: root, Array(steps.dropFirst(beginning.count)), text: text)
        }
        // The path of a root may contain a link.
        let resolved = SystemCalls.resolved(FilePath(text))
        guard directories.contains(resolved) else { throw outside(text) }
        return resolved
    }

    /// Descend directory by directory; missing ones are created later.
    private func descend(
        from root: FilePath, _ steps: [String], text: String
    ) throws(DownloadError) -> FilePath {
        guard steps.count <= Self.deepest, text.utf8.count <= Self.longest, steps.allSatisfy(Self.isSafe)
        else {
            throw outside(text)
        }
        var place = root
        for step in steps {
            place.append(step)
            guard let status = try? SystemCalls.status(place) else { continue }
            guard status.kind == .directory else { throw outside(text) }
        }
        return place
    }

    /// Checks a destination again right before the first byte, because a link may have been created since.
    ///
    /// - Throws: `DownloadError` with code `badPath`.
    package func check(_ destination: DownloadRequest.Destination) throws(DownloadError) {
        _ = try place(destination)
    }

    /// Returns the destination for a caller's choice.
    ///
    /// - Throws: `DownloadError` with code `badPath` for a path outside the allowed directories.
    package func place(
        _ destination: DownloadRequest.Destination
    ) throws(DownloadError) -> DownloadRequest.Destination {
        switch destination {
        case .directory(let path): try place(directory: path.string, name: nil)
        case .file(let path):
            try place(directory: path.removingLastComponent().string, name: path.lastComponent?.string)
        case .descriptor: destination
        }
    }

    /// The maximum number of directories in a path, and of bytes in a name.
    private static let (deepest, longest) = (32, 1_024)

    private static func steps(of text: String) -> [String] {
        text.split(separator: "/").map(String.init).filter { $0 != "." }
    }

    /// A hidden file could contain a program's settings or, in a home directory, keys.
    private static func isSafe(_ step: String) -> Bool {
        !step.hasPrefix(".") && step.utf8.count <= 255
            && step.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }
    }

    private func outside(_ text: String) -> DownloadError {
        let allowed = directories.map { "'\(Printable.text($0.string))'" }.joined(separator: " or ")
        return DownloadError(
            .badPath,
            "'\(Printable.text(text))' is not a path for files of this daemon; choose one below \(allowed), without hidden directories (segdl serve --allow-dir allows others)."
        )
    }
}
