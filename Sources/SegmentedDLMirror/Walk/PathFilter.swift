public import SegmentedDL

/// Which paths of a mirror are wanted.
public struct PathFilter: Sendable, Hashable {
    /// Patterns of which one must cover a file; none for all files.
    public var include: [Glob]

    /// Patterns of which none may cover a file; they win over `include`.
    public var exclude: [Glob]

    /// A filter; without patterns everything is wanted.
    public init(include: [Glob] = [], exclude: [Glob] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// Whether a file is wanted.
    public func accepts(_ file: RelativePath) -> Bool {
        (include.isEmpty || include.contains { $0.covers(file) }) && !exclude.contains { $0.covers(file) }
    }

    /// Whether something in a directory can be wanted.
    func entersDirectory(_ directory: RelativePath) -> Bool {
        guard !exclude.contains(where: { $0.covers(directory: directory) }) else { return false }
        return include.isEmpty
            || include.contains { $0.covers(directory: directory) || $0.canMatch(below: directory) }
    }
}
