import SegmentedDL
import SegmentedDLSupport
import SystemPackage

/// The names of a run's files. Each name belongs to the first file that claims it.
///
/// Names derived from URLs are reserved in the order of the run before any download starts, so that the order
/// of the servers' responses does not matter. A name that is known only from a response belongs to the file
/// whose response is received first. On a case-insensitive file system, names that differ only in case are
/// the same.
final class RunNames: Sendable {
    private let requests: RunRequests
    /// The first file that claims a name, by the hash of its path: a run may have very many files, and paths
    /// would use far more memory.
    private let first: [Int: Int32]
    /// The same by the lowercase path, for paths that are not lowercase themselves.
    private let firstInSmall: [Int: Int32]
    /// The files whose explicit names belong to other files.
    let refused: [Int]
    /// All other claimed names.
    private let taken: Lock<Taken>
    private let outputs: RunOutputs
    /// Returns true if a directory is case-insensitive. May block.
    private let mergesLetters: @Sendable (FilePath) -> Bool

    private struct Taken {
        var names: [FilePath: Int] = [:]
        /// The first file that claims a name, by its lowercase path.
        var inSmall: [FilePath: Int] = [:]
    }

    /// - Parameter outputs: The other files of the run, whose names no download receives.
    init(
        _ requests: RunRequests, outputs: RunOutputs = RunOutputs(),
        mergesLetters: @escaping @Sendable (FilePath) -> Bool = { NameProbe.mergesLetters(in: $0) }
    ) {
        self.requests = requests
        self.outputs = outputs
        self.mergesLetters = mergesLetters
        var first: [Int: Int32] = [:]
        var firstInSmall: [Int: Int32] = [:]
        var numbered: [FilePath: Int] = [:]
        var refused: [Int] = []
        // A single file cannot clash with another one.
        for id in requests.indices where requests.count > 1 {
            guard case .success(let wanted) = requests[id], let path = Self.path(of: wanted) else {
                continue
            }
            let owner = first[path.hashValue].map(Int.init)
            if owner == nil, numbered[path] == nil {
                first[path.hashValue] = Int32(id)
                let small = Self.small(path)
                if small != path, firstInSmall[small.hashValue] == nil {
                    firstInSmall[small.hashValue] = Int32(id)
                }
                continue
            }
            let isOwned = owner.flatMap { Self.path(of: requests[$0]) } == path
            if isOwned, wanted.hasExplicitName, wanted.ifExists != .rename { refused.append(id) }
            let isTaken = numbered[path] != nil || isOwned
            guard wanted.ifExists == .rename, isTaken else { continue }
            // Reserve the number now, or it would depend on the order of the responses.
            let free = (1...).lazy.map { DestinationChoice.numbered(path, $0) }.first {
                numbered[$0] == nil && first[$0.hashValue] == nil
            }
            if let free { numbered[free] = id }
        }
        self.first = first
        self.firstInSmall = firstInSmall
        self.refused = refused
        taken = Lock(Taken(names: numbered))
    }

    /// Claims a name for a file. May block.
    ///
    /// - Returns: The file that already has the name; `nil` if the name was free, or is the file's own.
    func take(_ path: FilePath, for id: Int) -> NameOwner? {
        let path = path.lexicallyNormalized()
        if let option = outputs.option(at: path) { return .output(of: option) }
        if let owner = exactOwner(of: path, for: id), owner != id {
            return (try? requests[owner].get()).map { .path(of: $0.source) }
        }
        guard let other = spelling(of: path, for: id), other != path,
            mergesLetters(path.removingLastComponent())
        else { return nil }
        return .spelling(other)
    }

    private func exactOwner(of path: FilePath, for id: Int) -> Int? {
        if let owner = owner(of: path, askedBy: id) { return owner }
        return taken.withLock { taken in
            if let owner = taken.names[path] { return owner }
            taken.names[path] = id
            return nil
        }
    }

    /// Returns the path of another file that differs at most in case, and takes precedence.
    private func spelling(of path: FilePath, for id: Int) -> FilePath? {
        let small = Self.small(path)
        if let first = firstClaim(of: small) {
            if first == id { return nil }
            if let other = Self.path(of: requests[first]), Self.small(other) == small { return other }
        }
        let first = taken.withLock { taken in
            let first = taken.inSmall[small] ?? id
            taken.inSmall[small] = first
            return first
        }
        guard first != id else { return nil }
        return taken.withLock { $0.names.first { $0.value == first && Self.small($0.key) == small }?.key }
    }

    /// Returns the first file that claims a path with this lowercase form.
    private func firstClaim(of small: FilePath) -> Int? {
        let hash = small.hashValue
        guard let inSmall = firstInSmall[hash] else { return first[hash].map(Int.init) }
        return Int(min(inSmall, first[hash] ?? inSmall))
    }

    private static func small(_ path: FilePath) -> FilePath { FilePath(path.string.lowercased()) }

    /// Returns the task for a file, which claims its name in this call.
    func task(_ request: DownloadRequest, _ id: Int) -> DownloadTask {
        var task = DownloadTask(request)
        task.hooks.takeName = { [self] path in take(path, for: id) }
        return task
    }

    /// Returns an error if the name given for this file belongs to another file; `nil` if no such conflict is
    /// known before the server has responded.
    func refusal(_ request: DownloadRequest, _ id: Int) -> DownloadError? {
        guard case .file(let path) = request.destination, request.ifExists != .rename,
            let owner = owner(of: path.lexicallyNormalized(), askedBy: id), owner != id,
            case .success(let other) = requests[owner]
        else { return nil }
        return .sameName(path, of: request.source, and: other.source)
    }

    private func owner(of path: FilePath, askedBy file: Int) -> Int? {
        guard let id = first[path.hashValue].map(Int.init) else { return nil }
        // The file itself is by far the most common one.
        return id == file || Self.path(of: requests[id]) == path ? id : nil
    }

    private static func path(of request: RunRequest) -> FilePath? {
        guard case .success(let request) = request else { return nil }
        return path(of: request)
    }

    private static func path(of request: DownloadRequest) -> FilePath? {
        DestinationPath.expected(for: request)?.lexicallyNormalized()
    }
}
