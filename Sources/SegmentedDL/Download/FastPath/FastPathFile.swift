internal import SystemPackage

/// A file on the fast path: its request as bytes, and where it goes.
struct FastPathFile: Sendable {
    let id: Int
    let task: DownloadTask
    /// The final name.
    let path: FilePath
    /// The bytes of its request.
    let bytes: [UInt8]
    let began: ContinuousClock.Instant

    var request: DownloadRequest { task.request }
    var host: String { request.source.origin.description }
}

/// Prepares files for the fast path: only those that nothing on the disk concerns.
struct FastPathEntrance {
    let transport: Transport
    /// The directories that were checked, and whether files can be created there.
    private var directories: [FilePath: Bool] = [:]
    /// The field lines of the last request, which are usually those of the next one, too.
    private var last: (authority: String, headers: [HTTPHeader], bytes: [UInt8])?

    init(_ transport: Transport) {
        self.transport = transport
    }

    /// Returns the file if no file of this run, or on the disk, has its name or one that it may need. Blocks.
    mutating func file(_ id: Int, _ task: DownloadTask) -> FastPathFile? {
        let request = task.request
        guard let path = DestinationPath.expected(for: request), let place = PipelinedPlace(request.source),
            isFree(path, task), isAccepted(path, request)
        else { return nil }
        return FastPathFile(
            id: id, task: task, path: path, bytes: bytes(place, request), began: ContinuousClock.now)
    }

    private mutating func isFree(_ path: FilePath, _ task: DownloadTask) -> Bool {
        if let isUsable = directories[path.directory] {
            guard isUsable else { return false }
        } else {
            let isUsable = (try? DestinationChoice.checkDirectory(path.directory)) != nil
            directories[path.directory] = isUsable
            guard isUsable else { return false }
        }
        let paths = DownloadPaths(path)
        guard (try? OwnFiles.checkName(path)) != nil, (try? OwnFiles.checkIsNoPartFile(path)) != nil,
            [path, paths.part, paths.manifest].allSatisfy(Self.isMissing)
        else { return false }
        return task.takeName?(path) == nil
    }

    private static func isMissing(_ path: FilePath) -> Bool {
        do {
            return try SystemCalls.statusIfThere(path) == nil
        } catch {
            return false
        }
    }

    /// Returns true if the name is stored as it is.
    private func isAccepted(_ path: FilePath, _ request: DownloadRequest) -> Bool {
        guard case .directory(let directory) = request.destination, let name = path.lastComponent?.string
        else { return true }
        return OwnFiles.refusedName(behind: name) == nil
            && NameProbe.accepted(name, in: directory) == name
    }

    private mutating func bytes(_ place: PipelinedPlace, _ request: DownloadRequest) -> [UInt8] {
        var line = Array("GET \(place.target) HTTP/1.1\r\n".utf8)
        if last?.authority != place.authority || last?.headers != request.headers {
            let range = PlainAnswer.asked.headerValue.map { HTTPHeader("Range", "bytes=\($0)") }
            let headers =
                RequestOptions().fields(decodes: false) + transport.sharedHeaders + request.headers
                + [range].compactMap(\.self)
            last = (
                place.authority, request.headers,
                RequestText.fields(headers, authority: place.authority, userAgent: transport.userAgent)
                    + [0x0d, 0x0a]
            )
        }
        line += last?.bytes ?? []
        return line
    }
}
