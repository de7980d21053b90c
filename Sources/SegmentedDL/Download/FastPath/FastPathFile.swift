internal import SystemPackage

/// A file on the fast path: its request as bytes, and its destination.
///
/// A class, because copying a task with its request costs dozens of retains.
final class FastPathFile: Sendable {
    let entry: FastPath.Entry
    let batch: FastPathBatch
    /// The expected final name.
    let path: FilePath
    /// The fields of its request, except those common to all requests.
    let headers: [HTTPHeader]
    /// The bytes of its request in HTTP/1.1.
    let bytes: [UInt8]
    let began = ContinuousClock.now

    init(
        _ entry: FastPath.Entry, _ batch: FastPathBatch, _ path: FilePath, headers: [HTTPHeader],
        bytes: [UInt8]
    ) {
        self.entry = entry
        self.batch = batch
        self.path = path
        self.headers = headers
        self.bytes = bytes
    }

    var id: Int { entry.id }
    var task: DownloadTask { entry.task }
    var request: DownloadRequest { task.request }
    var host: String { request.source.origin.description }
    /// True if a digest of the file is known.
    var isVouchedFor: Bool { !request.checksums.isEmpty }
    /// The request that a connection sends.
    var toSend: FastPathRequest {
        FastPathRequest(
            id: id, url: request.source.url, range: PlainAnswer.asked,
            isVouchedFor: isVouchedFor, headers: headers, bytes: bytes)
    }
}

/// Prepares files for the fast path. Only files without any existing local files are accepted.
struct FastPathEntrance {
    private let transport: Transport
    private let batch: FastPathBatch
    /// The directories that were checked, and whether files can be created in them.
    private var directories: [FilePath: Bool] = [:]
    /// The fields of the last request, which are usually the same for the next one; `own` are the fields
    /// given in the request.
    private var last: (authority: String, own: [HTTPHeader], headers: [HTTPHeader], bytes: [UInt8])?

    init(_ transport: Transport, _ batch: FastPathBatch) {
        self.transport = transport
        self.batch = batch
    }

    /// Returns the file, or `nil` if its name, or one that it may need, is used by another file of this run
    /// or exists on disk. Blocks.
    mutating func file(_ entry: FastPath.Entry) -> FastPathFile? {
        let request = entry.task.request
        guard let path = DestinationPath.expected(for: request),
            let target = RequestText.target(of: request.source), isFree(path, entry.task),
            isAccepted(path, request)
        else { return nil }
        let (headers, bytes) = fields(of: request)
        return FastPathFile(
            entry, batch, path, headers: headers,
            bytes: Array("GET \(target) HTTP/1.1\r\n".utf8) + bytes)
    }

    private mutating func isUsable(_ directory: FilePath, _ request: DownloadRequest) -> Bool {
        if let isUsable = directories[directory] { return isUsable }
        // A missing directory is created when the first of its files is received.
        let mayBeUsed =
            (try? DestinationChoice.checkDirectory(directory)) != nil
            || request.makesDirectory && (try? SystemCalls.statusFollowingLinks(directory)) == nil
        // Otherwise all of its files would leave the fast path, and be requested twice.
        let isUsable = mayBeUsed && Self.hasUnnamedFiles(directory)
        directories[directory] = isUsable
        return isUsable
    }

    /// Returns true if small files can be stored without a name first.
    ///
    /// - Parameter directory: If it does not exist, its nearest existing parent is tested.
    static func hasUnnamedFiles(_ directory: FilePath) -> Bool {
        var directory = directory
        while (try? SystemCalls.statusFollowingLinks(directory)) == nil, directory.lastComponent != nil {
            directory = directory.directory
        }
        guard let file = try? SystemCalls.openUnnamed(in: directory) else { return false }
        try? file.close()
        return true
    }

    private mutating func isFree(_ path: FilePath, _ task: DownloadTask) -> Bool {
        isUsable(path.directory, task.request) && Self.isFree(path) && task.hooks.takeName?(path) == nil
    }

    /// Returns true if no file has the name, or one that a download to it may need. Blocks.
    static func isFree(_ path: FilePath) -> Bool {
        let paths = DownloadPaths(path)
        return (try? OwnFiles.checkName(path)) != nil && (try? OwnFiles.checkIsNoPartFile(path)) != nil
            && [path, paths.part, paths.manifest].allSatisfy(isMissing)
    }

    private static func isMissing(_ path: FilePath) -> Bool {
        do {
            return try SystemCalls.statusIfThere(path) == nil
        } catch {
            return false
        }
    }

    /// Returns true if the name is stored unchanged.
    private func isAccepted(_ path: FilePath, _ request: DownloadRequest) -> Bool {
        guard case .directory(let directory) = request.destination, let name = path.lastComponent?.string
        else { return true }
        return OwnFiles.refusedName(behind: name) == nil
            && NameProbe.accepted(name, in: directory) == name
    }

    /// Returns the fields of a request, and the bytes of everything after its first line in HTTP/1.1.
    private mutating func fields(of request: DownloadRequest) -> (headers: [HTTPHeader], bytes: [UInt8]) {
        let authority = request.source.origin.authority
        if let last, last.authority == authority, last.own == request.headers {
            return (last.headers, last.bytes)
        }
        let range = PlainAnswer.asked.headerValue.map { HTTPHeader("Range", "bytes=\($0)") }
        let headers =
            RequestOptions().fields(decodes: false) + transport.headers(for: request.source, request.headers)
        let bytes =
            RequestText.fields(
                headers + [range].compactMap(\.self), authority: authority, userAgent: transport.userAgent)
            + [0x0d, 0x0a]
        last = (authority, request.headers, headers, bytes)
        return (headers, bytes)
    }
}
