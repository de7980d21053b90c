import SegmentedDL
import SegmentedDLSupport
import SystemPackage

/// The names of a run's files: each belongs to the first file that wants it.
///
/// Names that follow from URLs are reserved in the order of the run before anything starts, so that it does
/// not matter which server answers first. Names that only answers tell belong to the file that is answered
/// first.
final class RunNames: Sendable {
    /// Returns the request for a file of the run; `nil` for one that has none.
    private let request: @Sendable (Int) -> DownloadRequest?
    /// The first file that wants a name, by the hash of its path: a run may have very many files, and paths
    /// would take far more memory.
    private let first: [Int: Int32]
    /// All other files that have a name.
    private let taken: Lock<[FilePath: Int]>

    /// - Parameter count: The number of files in the run.
    init(count: Int, request: @escaping @Sendable (Int) -> DownloadRequest?) {
        self.request = request
        var first: [Int: Int32] = [:]
        var numbered: [FilePath: Int] = [:]
        // A single file has no other beside it.
        for id in 0..<(count > 1 ? count : 0) {
            guard let wanted = request(id), let path = Self.path(of: wanted) else { continue }
            let owner = first[path.hashValue].map(Int.init)
            if owner == nil, numbered[path] == nil {
                first[path.hashValue] = Int32(id)
                continue
            }
            let isTaken = numbered[path] != nil || owner.flatMap(request).flatMap(Self.path) == path
            guard wanted.ifExists == .rename, isTaken else { continue }
            // The name that it will get: otherwise, the answers would decide which file gets which number.
            let free = (1...).lazy.map { DestinationChoice.numbered(path, $0) }.first {
                numbered[$0] == nil && first[$0.hashValue] == nil
            }
            if let free { numbered[free] = id }
        }
        self.first = first
        taken = Lock(numbered)
    }

    /// Takes a name for a file.
    ///
    /// - Returns: The file that has it already; `nil` if it is free now, or the file's own.
    func take(_ path: FilePath, for id: Int) -> Int? {
        let path = path.lexicallyNormalized()
        if let owner = owner(of: path, askedBy: id) { return owner == id ? nil : owner }
        return taken.withLock { taken in
            guard let owner = taken[path] else {
                taken[path] = id
                return nil
            }
            return owner == id ? nil : owner
        }
    }

    /// Returns the task for a file, which asks here for its name.
    func task(_ request: DownloadRequest, _ id: Int) -> DownloadTask {
        var task = DownloadTask(request)
        task.takeName = { [self] path in take(path, for: id).flatMap { self.request($0)?.source } }
        task.isOfOther = { [self] path in take(path, for: id) != nil }
        return task
    }

    /// Returns the error of a file whose name the caller gave and another file has; `nil` if there is no such
    /// error before the server has answered.
    func refusal(_ request: DownloadRequest, _ id: Int) -> DownloadError? {
        guard case .file(let path) = request.destination, request.ifExists != .rename,
            let owner = owner(of: path.lexicallyNormalized(), askedBy: id), owner != id,
            let other = self.request(owner)
        else { return nil }
        return .sameName(path, of: request.source, and: other.source)
    }

    private func owner(of path: FilePath, askedBy file: Int) -> Int? {
        guard let id = first[path.hashValue].map(Int.init) else { return nil }
        // The file itself is by far the most common one, and to make a request again takes its time.
        return id == file || request(id).flatMap(Self.path) == path ? id : nil
    }

    private static func path(of request: DownloadRequest) -> FilePath? {
        DestinationPath.expected(for: request)?.lexicallyNormalized()
    }
}
