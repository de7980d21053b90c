import ArgumentParser
import SegmentedDLOptions
import SystemPackage
import TestSupport

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import SegmentedDLQueue
@testable import SegmentedDLServer
@testable import segdl

/// A way to add a download.
enum Entrance: String, CaseIterable, Sendable {
    case fetch, fetchList, queueAdd, queueList, queueSet, remote, remoteList, api, rpc, changeOption
    case aria2c, aria2List, mirror, mirrorList

    /// Returns what the core receives for a setting; `nil` if the entrance has no word for it, not even to
    /// refuse it.
    ///
    /// - Throws: The refusal.
    func received(_ setting: Setting, _ queue: RecordingQueue) async throws -> Received? {
        let url = "http://h/\(setting.rawValue)-\(rawValue)"
        let lines = Words.aria2(setting)
        switch self {
        case .fetch: return try Self.fetch(Words.fetch(setting) + [url], nil)
        case .fetchList: return try Self.fetch(["--input", "list"], try listed(url, setting))
        case .queueAdd, .remote:
            return try await queue.add(
                Words.queueAdd(setting) + [url], InputList.File(urls: [url], line: 0), self == .remote)
        case .queueList, .remoteList:
            guard let file = try URLBatches([], list: "list", nil).usable(listed(url, setting)) else {
                throw Refusal()
            }
            return try await queue.add(["--input", "list"], file, self == .remoteList)
        case .queueSet: return try await queue.set(Words.queueAdd(setting), url)
        case .api: return try await queue.post(Self.members(setting), url)
        case .rpc: return try await lines.asyncMap { try await queue.call($0, url) } ?? nil
        case .changeOption: return try await lines.asyncMap { try await queue.change($0, url) } ?? nil
        case .aria2c: return try lines.flatMap { try Self.aria2(options: $0, list: nil, url) }
        case .aria2List: return try lines.flatMap { try Self.aria2(options: [], list: $0, url) }
        case .mirror: return try Self.mirror(Words.fetch(setting), nil, url)
        case .mirrorList: return try Self.mirror([], Words.list(setting), url, setting == .mirror)
        }
    }

    /// A response without a message.
    struct Refusal: Error, CustomStringConvertible {
        var description = ""
    }

    private func listed(_ url: String, _ setting: Setting) throws -> InputList.Entry {
        let urls = setting == .mirror ? "\(url)\thttp://m/a" : url
        let options = setting == .mirror ? [] : Words.list(setting).map { " \($0)\n" }
        return try InputList.parse("\(urls)\n\(options.joined())").first ?? { throw Refusal() }()
    }

    private static func fetch(_ arguments: [String], _ entry: InputList.Entry?) throws -> Received {
        let command = try Fetch.parse(arguments)
        let entry = entry ?? .file(InputList.File(urls: command.urls + command.mirror))
        var collector = try command.collector()
        collector.add(entry)
        var received = Received(request: try collector.requests[0].get())
        command.limits.apply(to: &received.configuration)
        command.transport.apply(to: &received.configuration)
        return received
    }

    private static func aria2(options: [String], list: [String]?, _ url: String) throws -> Received? {
        let arguments = try Aria2Arguments(options.map { "--\($0)" } + (list == nil ? [url] : []))
        var values = Aria2Values()
        for given in arguments.options { try values.set(given.option, given.value, home: nil) }
        let plan = try Aria2Plan(
            values, uris: arguments.uris,
            list: list.map { try Aria2List("\(url)\n\($0.map { " \($0)\n" }.joined())", home: nil) })
        return Received(request: try plan.downloads[0].request(), configuration: plan.configuration)
    }

    private static func mirror(
        _ options: [String], _ lines: [String]?, _ url: String, _ hasMirror: Bool = false
    ) throws -> Received {
        let command = try MirrorStart.parse(options + ["--format", "urls", "http://h/list", "root"])
        var job = MirrorJob(root: "root")
        try command.files.apply(to: &job)
        let named = try MirrorSourceOption(
            command.source, format: command.files.format, base: command.files.base,
            prefix: command.files.prefix,
            s3: { profile throws(DownloadError) in
                try command.s3.resolver(note: { _ in }).store(profile)
            })
        job.access = try command.access(to: named)
        var parser = try MirrorListParser(.urls, name: "list")
        let urls = hasMirror ? "\(url)\thttp://m/a" : url
        let options = hasMirror ? "" : (lines ?? []).map { " \($0)\n" }.joined()
        let entries = try parser.feed(Array("\(urls)\n\(options)".utf8)) + parser.finish()
        switch entries[0] {
        case .item(let item):
            var received = Received(request: job.request(for: item, from: item.sources[0]))
            command.limits.apply(to: &received.configuration)
            command.transport.apply(to: &received.configuration)
            received.startsMirrorOver = job.startsOver
            return received
        case .unusable(let entry): throw Refusal(description: entry.reason)
        }
    }

    /// The members of a download in the daemon's own API; those that it does not have are named as here.
    private static func members(_ setting: Setting) -> [String: JSONValue] {
        switch setting {
        case .mirror: ["mirrors": ["http://m/a"]]
        case .directory: ["directory": "dir"]
        case .name: ["name": "name"]
        case .header: ["headers": ["A: b"]]
        case .referer: ["headers": ["Referer: http://r/"]]
        case .agent: ["headers": ["User-Agent: me/1"]]
        case .noCache: ["headers": ["Cache-Control: no-cache"]]
        case .checksum: ["checksum": .string(Setting.digest)]
        case .types: ["expectedTypes": ["image/*"]]
        case .segments: ["segments": .integer(3)]
        case .replace, .rename, .update, .skip: ["ifExists": .string(setting.rawValue)]
        case .rate: ["bytesPerSecond": .integer(4096)]
        default: [setting.rawValue: "true"]
        }
    }
}

extension Optional where Wrapped == [String] {
    fileprivate func asyncMap<Value>(
        _ body: ([String]) async throws -> Value
    ) async rethrows -> Value? {
        guard let self else { return nil }
        return try await body(self)
    }
}

extension URLBatches {
    /// Returns the file of an entry as added to a queue.
    ///
    /// - Throws: The reason why the entry is unusable.
    fileprivate func usable(_ entry: InputList.Entry) throws -> InputList.File? {
        take(.success([entry]))
        if let failure = takeFailures().first { throw Entrance.Refusal(description: failure.message) }
        return next()?.first
    }
}
