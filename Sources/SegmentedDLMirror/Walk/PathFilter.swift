public import SegmentedDL

/// The rule that selects the paths of a mirror.
public struct PathFilter: Sendable, Hashable {
    /// The patterns of files to include: at least one must match a file. Empty for all files.
    public var include: [Glob]

    /// The patterns of files to exclude: none may match a file. They take precedence over `include`.
    public var exclude: [Glob]

    /// Creates a filter; without patterns it accepts all files.
    public init(include: [Glob] = [], exclude: [Glob] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// Creates a filter from globs as text.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` for a malformed one.
    package init(include: [String], exclude: [String]) throws(DownloadError) {
        self.include = try include.map { text throws(DownloadError) in try Glob(text) }
        self.exclude = try exclude.map { text throws(DownloadError) in try Glob(text) }
    }

    /// Returns true if a file is selected.
    public func accepts(_ file: RelativePath) -> Bool {
        accepts(file.components, isDirectory: false)
    }

    /// Returns true if an entry is, or may be, a selected file.
    func accepts(_ entry: MirrorEntry) -> Bool {
        switch entry {
        case .item(let item): return accepts(item.path)
        case .unusable(let entry):
            guard let path = entry.path else { return true }
            let isDirectory = path.utf8.last == UInt8(ascii: "/")
            let names = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
            return accepts(names, isDirectory: isDirectory)
        }
    }

    /// - Parameter isDirectory: True for a directory: it is accepted if it can contain selected files.
    private func accepts(_ names: [Substring], isDirectory: Bool) -> Bool {
        guard !exclude.contains(where: { $0.covers(names, isDirectory: isDirectory) }) else { return false }
        return include.isEmpty
            || include.contains {
                $0.covers(names, isDirectory: isDirectory) || isDirectory && $0.canMatch(below: names)
            }
    }

    /// Returns true if a directory can contain selected files.
    func entersDirectory(_ directory: RelativePath) -> Bool {
        accepts(directory.components, isDirectory: true)
    }
}
