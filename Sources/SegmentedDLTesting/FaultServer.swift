public import SegmentedDL
public import SegmentedDLQueue
import SegmentedDLSupport

/// An in-memory server for testing programs that download files, without sockets, ports and delays.
///
/// It behaves like a correct server with range support, except for the faults that a test adds. The downloads
/// are real: files, checkpoints, retries and queues are those of a production program.
public final class FaultServer: Sendable {
    private struct State {
        var files: [String: File] = [:]
        var faults: [String: [Fault]] = [:]
        var requests: [Request] = []
    }

    private let state = Lock(State())

    /// Creates a server.
    ///
    /// - Parameter files: The files by URL. For all other URLs, the server responds with 404.
    public init(_ files: [String: File] = [:]) {
        for (url, file) in files { set(file, at: url) }
    }

    /// Puts a file at a URL, replacing any existing one.
    ///
    /// - Parameters:
    ///   - file: The file; its `etag` should differ from that of the previous file.
    ///   - url: The URL.
    public func set(_ file: File, at url: String) {
        state.withLock { $0.files[Self.key(url)] = file }
    }

    /// Removes the file at a URL, for which the server then responds with 404.
    public func remove(_ url: String) {
        state.withLock { $0.files[Self.key(url)] = nil }
    }

    /// Adds a fault to the next responses for a URL. Faults take effect in the order in which they were
    /// added, one per response.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - url: The URL.
    ///   - times: The number of affected responses; less than 1 counts as 1.
    public func add(_ fault: Fault, to url: String, times: Int = 1) {
        state.withLock {
            $0.faults[Self.key(url), default: []] += Array(repeating: fault, count: max(times, 1))
        }
    }

    /// The received requests, in order.
    public var requests: [Request] { state.withLock { $0.requests } }

    /// Returns a downloader that sends all of its requests to this server.
    ///
    /// - Parameter configuration: The settings; those of connections have no effect. Retry delays are
    ///   observed, so a short `retry.delay` makes tests faster: it also shortens the pauses after status 429
    ///   and 503, except those that a response requests (`Retry-After`).
    public func downloader(_ configuration: Configuration = Configuration()) -> Downloader {
        let factor = min(configuration.retry.delay / RetryPolicy().delay, 1)
        return Downloader(configuration: configuration, engine: FaultEngine(self), pauseFactor: factor)
    }

    /// Opens a queue that sends all of its requests to this server. The caller must shut it down.
    ///
    /// - Parameter configuration: The settings of the queue.
    /// - Returns: The queue.
    /// - Throws: The errors of `DownloadManager.init`.
    public func manager(_ configuration: ManagerConfiguration = .inMemory) async throws -> DownloadManager {
        try await DownloadManager(configuration, downloader: downloader(configuration.downloads))
    }

    /// Opens a queue that sends all of its requests to this server, runs `body`, and shuts the queue down.
    ///
    /// - Parameters:
    ///   - configuration: The settings of the queue.
    ///   - body: Called with the queue.
    /// - Returns: The value of `body`.
    /// - Throws: The errors of `DownloadManager.init` and of `body`.
    @discardableResult
    public func withManager<Value>(
        _ configuration: ManagerConfiguration = .inMemory, _ body: (DownloadManager) async throws -> Value
    ) async throws -> Value {
        let manager = try await manager(configuration)
        do {
            let value = try await body(manager)
            try await manager.shutdown()
            return value
        } catch {
            try? await manager.shutdown()
            throw error
        }
    }

    /// Returns the canonical spelling of a URL.
    private static func key(_ url: String) -> String { (try? Source(url).identity) ?? url }

    /// Records a request, and returns its response.
    func take(_ request: Request) -> (file: File?, fault: Fault?) {
        let key = Self.key(request.url)
        return state.withLock { state in
            state.requests.append(request)
            let fault = state.faults[key].flatMap { $0.isEmpty ? nil : $0[0] }
            if fault != nil { state.faults[key]?.removeFirst() }
            return (state.files[key], fault)
        }
    }
}

extension FaultServer {
    /// A file on the server.
    public struct File: Sendable, Hashable {
        /// The bytes.
        public var content: [UInt8]
        /// The entity tag, quotes included; `nil` for none.
        public var etag: String?
        /// Further header fields of its responses, such as Content-Disposition or Last-Modified.
        public var headers: [HTTPHeader]

        /// Creates a file from its parts.
        public init(_ content: [UInt8], etag: String? = "\"1\"", headers: [HTTPHeader] = []) {
            self.content = content
            self.etag = etag
            self.headers = headers
        }
    }

    /// A received request.
    public struct Request: Sendable, Hashable {
        /// The URL.
        public var url: String
        /// The offset of the first requested byte; `nil` for a request without a range.
        public var start: Int64?
        /// The offset after the last requested byte; `nil` for an open-ended range.
        public var end: Int64?
        /// The header fields that the caller has added to the request.
        public var headers: [HTTPHeader]
    }
}
