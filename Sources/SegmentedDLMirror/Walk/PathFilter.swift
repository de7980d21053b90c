public import SegmentedDL

/// The rule that selects paths of a mirror.
public struct PathFilter: Sendable, Hashable {
    /// The patterns of wanted files: one must cover a file. Empty for all files.
    public var include: [Glob]

    /// The patterns of unwanted files: none may cover a file. They take precedence over `include`.
    public var exclude: [Glob]

    /// Creates a filter; without patterns it accepts all files.
    public init(include: [Glob] = [], exclude: [Glob] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// Returns true if a file is wanted.
    public func accepts(_ file: RelativePath) -> Bool {
        (include.isEmpty || include.contains { $0.covers(file) }) && !exclude.contains { $0.covers(file) }
    }

    /// Returns true if a file in a directory can be wanted.
    func entersDirectory(_ directory: RelativePath) -> Bool {
        guard !exclude.contains(where: { $0.covers(directory: directory) }) else { return false }
        return include.isEmpty
            || include.contains { $0.covers(directory: directory) || $0.canMatch(below: directory) }
    }
}
