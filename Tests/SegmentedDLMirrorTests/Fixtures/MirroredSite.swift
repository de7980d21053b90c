import SegmentedDLSupport

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

/// A server with pages and files by path; it supports conditional requests and records all requests.
final class MirroredSite: Sendable {
    struct State {
        var pages: [String: String] = [:]
        var files: [String: String] = [:]
        var redirects: [String: String] = [:]
        /// ETags that differ from the content; an empty one is not sent.
        var etags: [String: String] = [:]
        var limits = Limits()
        var durability = Durability.process
        var asked: [String] = []
        /// Called before each response.
        var whenAsked: @Sendable (String) throws -> Void = { _ in }
    }

    let state = Lock(State())

    var asked: [String] { state.withLock { $0.asked } }

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    /// Returns a downloader.
    ///
    /// - Parameter engine: An engine that wraps the site's own; `nil` for that engine itself.
    func downloader(_ engine: (any TransferEngine)? = nil) -> Downloader {
        var configuration = Configuration()
        configuration.retry.retries = 0
        // Each file takes one request.
        configuration.segments = .fixed(1)
        configuration.durability = state.withLock { $0.durability }
        configuration.limits = state.withLock { $0.limits }
        return Downloader(configuration: configuration, engine: engine ?? self.engine())
    }

    func engine() -> MemoryEngine { MemoryEngine { [self] request, _ in try answer(request) } }

    private func answer(_ request: MemoryEngine.Request) throws -> MemoryEngine.Reply {
        let path = String(request.url.dropFirst("http://host/".count))
        return try state.withLock { state in
            state.asked.append(path)
            try state.whenAsked(path)
            if let target = state.redirects[path] {
                return .init(head: ResponseHead(status: 301, fields: [HTTPHeader("Location", target)]))
            }
            if let page = state.pages[path] {
                var reply = MemoryEngine.Reply.honest(Array(page.utf8), request.range)
                reply.head.append(
                    HTTPHeader("Content-Type", page.hasPrefix("<?xml") ? "text/xml" : "text/html"))
                return reply
            }
            guard let file = state.files[path] else { return .init(head: ResponseHead(status: 404)) }
            let etag = state.etags[path] ?? "\"\(file)\""
            if request.headers.contains(where: { $0.name == "If-None-Match" && $0.value == etag }) {
                return .init(head: ResponseHead(status: 304, fields: [HTTPHeader("ETag", etag)]))
            }
            return .honest(Array(file.utf8), request.range, etag: etag.isEmpty ? nil : etag)
        }
    }

    /// Mirrors the site.
    func mirror(
        _ job: MirrorJob, _ source: MirrorSource? = nil
    ) async throws -> (report: MirrorReport, asked: [String]) {
        let before = asked.count
        let downloader = downloader()
        let entries = downloader.entries(of: try source ?? .index(Source("http://host/")))
        let report = await downloader.mirror(job, of: entries).report()
        return (report, Array(asked.dropFirst(before)))
    }

    /// Returns a page with links.
    static func page(_ links: String...) -> String { page(links) }

    /// Returns a page with links.
    static func page(_ links: [String]) -> String {
        links.map { "<a href=\"\($0)\">x</a>" }.joined()
    }
}

extension MirrorJob {
    /// Returns a job with a state that writes to `root` in a directory.
    static func remembering(
        below directory: TemporaryDirectory, _ change: (inout MirrorJob) -> Void
    ) -> MirrorJob {
        var job = MirrorJob(root: directory.filePath("root"))
        job.state = MirrorJob.defaultState(in: job.root)
        change(&job)
        return job
    }
}
