import ArgumentParser
import SegmentedDLSupport
import SystemPackage
import TestSupport

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import SegmentedDLServer
@testable import segdl

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A daemon's queue that runs nothing: it records what the core would receive.
struct RecordingQueue {
    private let directory: TemporaryDirectory
    private let manager: DownloadManager
    private let downloads: Downloads
    private let mirrors: Mirrors
    private let interface: Interface
    private let rpc: RPCService

    init() async throws {
        // The daemon's store waits for the disk; in memory it does not.
        let memory = "/dev/shm"
        directory = try TemporaryDirectory(in: FileManager.default.fileExists(atPath: memory) ? memory : nil)
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        configuration.downloads.durability = .process
        let daemon = try Daemon(
            options: try ServeOptions.parse(["--dir", directory.file("files")]),
            configuration: configuration, secret: .none, usual: Authorization(), messages: MessageLog())
        manager = try await DownloadManager(daemon.configuration)
        downloads = Downloads(manager: manager, store: daemon.store, fence: daemon.fence)
        mirrors = try await Mirrors(downloader: manager.downloader, store: daemon.store, fence: daemon.fence)
        let settings = RPCSettings(
            fence: daemon.fence, version: "1", userAgent: "a", accepts: { _ in true }, shutDown: {})
        interface = Interface(downloads, mirrors, settings: settings)
        rpc = RPCService(downloads, settings: settings)
    }

    func end() async throws {
        await mirrors.close()
        try await manager.shutdown()
        await downloads.store.close()
    }

    /// Returns what the core would receive for the download of a URL.
    private func received(_ url: String) async throws -> Received {
        let receipt = try await manager.receipts(.url(url))[0]
        guard let record = await manager.queue.records[receipt.id] else { throw Entrance.Refusal() }
        let task = try await manager.task(for: record)
        return Received(
            request: task.request, configuration: manager.downloader.configuration.withLock { $0 })
    }

    private func check(_ failures: [QueueReply.Failure]) throws {
        if let failure = failures.first { throw Entrance.Refusal(description: failure.message) }
    }

    /// Adds a file by `segdl queue add`.
    func add(_ arguments: [String], _ file: InputList.File, _ isRemote: Bool) async throws -> Received {
        var add = try QueueAdd.parse(arguments + (isRemote ? ["--remote", "http://d/"] : []))
        // Destinations are below the daemon's directory.
        if !isRemote, add.directory == nil { add.directory = directory.file("files") }
        let place = FileOptions.place(output: add.output, directory: add.directory)
        let command = QueueCommand.add([try add.entry(file, as: add.usualRequest(to: place))])
        let reply: QueueReply
        if isRemote {
            let answer = await RemoteCommands(downloads: downloads).answer(
                Array(try JSONEncoder().encode(command)))
            reply = try JSONDecoder().decode(QueueReply.self, from: Data(answer ?? []))
        } else {
            reply = await command.run(on: manager)
        }
        try check(reply.failures)
        return try await received(file.urls[0])
    }

    /// Changes a download by `segdl queue set`.
    func set(_ arguments: [String], _ url: String) async throws -> Received {
        try await manager.add(try DownloadRequest(url, to: .directory(directory.filePath("files"))))
        try check(await QueueSet.parse([url] + arguments).command.run(on: manager).failures)
        return try await received(url)
    }

    /// Adds a download by the daemon's own API.
    func post(_ members: [String: JSONValue], _ url: String) async throws -> Received {
        let download = JSONValue.object(members.merging(["url": .string(url)]) { given, _ in given })
        let answer: JSONValue
        do {
            answer = try await interface.add(["downloads": [download]])
        } catch {
            throw Entrance.Refusal(description: error.message)
        }
        if let message = answer["results"]?.elements?.first?["error"]?["message"]?.text {
            throw Entrance.Refusal(description: message)
        }
        return try await received(url)
    }

    private func send(_ method: String, _ parameters: [JSONValue]) async throws {
        let message: JSONValue = [
            "id": "1", "method": .string("aria2.\(method)"), "params": .array(parameters),
        ]
        let answer = try JSONValue(parsing: await rpc.answer(message.bytes).body)
        if let error = answer["error"]?["message"]?.text { throw Entrance.Refusal(description: error) }
    }

    private func members(_ lines: [String]) -> JSONValue {
        let pairs = lines.map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return .object(Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], .string($0[1])) }))
    }

    /// Adds a download by aria2's RPC.
    func call(_ lines: [String], _ url: String) async throws -> Received {
        try await send("addUri", [[.string(url)], members(lines)])
        return try await received(url)
    }

    /// Changes a download by aria2's RPC.
    func change(_ lines: [String], _ url: String) async throws -> Received {
        try await send("addUri", [[.string(url)], ["auto-file-renaming": "false"]])
        let receipt = try await manager.receipts(.url(url))[0]
        try await send("changeOption", [.string(GID(of: receipt).description), members(lines)])
        return try await received(url)
    }
}
