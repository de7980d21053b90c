import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

/// Every call to a manager from every closure of its caller: none may hang.
@Suite("Calls in a closure of a manager", .timeLimit(.minutes(10)))
struct ClosureVerbTests {
    /// A closure that the library calls.
    enum Place: String, CaseIterable, Sendable {
        case mayStart, authorize, authorizationSource, pieces, chooseDestination
        case resolveExisting, resolveAtAddition
        case onComplete, afterCompletion, onEvent, onProgress, onCompletion

        /// True if a download waits for it.
        var isOfRun: Bool {
            switch self {
            case .mayStart, .authorize, .authorizationSource, .pieces, .chooseDestination, .resolveExisting,
                .onComplete, .afterCompletion:
                true
            case .resolveAtAddition, .onEvent, .onProgress, .onCompletion: false
            }
        }
    }

    /// A call of a manager, about the download whose closure makes it.
    struct Verb: Sendable {
        let name: String
        let call: @Sendable (DownloadManager, Receipt.ID) async throws -> Void

        init(_ name: String, _ call: @escaping @Sendable (DownloadManager, Receipt.ID) async throws -> Void) {
            self.name = name
            self.call = call
        }

        /// Returns true if it would wait for the closure itself, and so throws.
        func waits(in place: Place) -> Bool {
            switch name {
            case "result", "result in a child task", "waitUntilIdle", "relocate": place.isOfRun
            case "inspect": place == .chooseDestination || place == .authorizationSource
            default: false
            }
        }
    }

    static let verbs: [Verb] = [
        Verb("add") { manager, _ in
            try await manager.add(DownloadRequest("http://host/second", to: .directory("/tmp")))
        },
        Verb("pause") { manager, id in try await manager.pause(.id(id)) },
        Verb("pause all") { manager, _ in try await manager.pause(.all) },
        Verb("resume") { manager, id in try await manager.resume(.id(id)) },
        Verb("start") { manager, id in try await manager.start(.id(id)) },
        Verb("cancel") { manager, id in try await manager.cancel(.id(id)) },
        Verb("restart") { manager, id in try await manager.restart(.id(id)) },
        Verb("remove") { manager, id in try await manager.remove(.id(id), withFiles: true) },
        Verb("setSource") { manager, id in
            try await manager.setSource(Source("http://host/other"), of: id)
        },
        Verb("change") { manager, id in try await manager.change(id) { $0.request.rate = 1_000_000 } },
        Verb("moveToFront") { manager, id in try await manager.moveToFront(.id(id)) },
        Verb("moveToBack") { manager, id in try await manager.moveToBack(.id(id)) },
        Verb("move") { manager, id in try await manager.move(.id(id), before: id) },
        Verb("setPriority") { manager, id in try await manager.setPriority(1, of: .id(id)) },
        Verb("setLimits") { manager, _ in
            var limits = await manager.limits
            limits.activeFiles = 2
            try await manager.setLimits(limits)
        },
        Verb("reconsider") { manager, _ in try await manager.reconsider() },
        Verb("relocate") { manager, id in
            guard case .directory(let path)? = await manager.receipt(id)?.destination else { return }
            try await manager.relocate(from: path, to: path.removingLastComponent().appending("moved"))
        },
        Verb("missingSpace") { manager, _ in _ = try await manager.missingSpace() },
        Verb("inspect") { manager, _ in
            let request = try DownloadRequest("http://host/other", to: .directory("/tmp"))
            _ = try await manager.inspect(request)
        },
        Verb("receipts") { manager, _ in _ = try await manager.receipts(.all) },
        Verb("receipt") { manager, id in _ = try await manager.receipt(.id(id)) },
        Verb("progress") { manager, _ in _ = await manager.progress },
        Verb("progress of") { manager, id in
            for await _ in manager.progress(of: id, every: .milliseconds(1)) {}
        },
        Verb("progress every") { manager, _ in
            for await _ in manager.progress(every: .milliseconds(1)) { break }
        },
        Verb("activeReceipts") { manager, _ in
            for await _ in manager.activeReceipts(every: .milliseconds(1)) { break }
        },
        Verb("events") { manager, _ in _ = manager.events() },
        Verb("follow") { manager, id in manager.follow(id) { _ in } },
        Verb("result") { manager, id in try await manager.result(of: id) },
        Verb("result in a child task") { manager, id in
            async let receipt = manager.result(of: id)
            _ = try await receipt
        },
        Verb("waitUntilIdle") { manager, _ in try await manager.waitUntilIdle() },
        Verb("shutdown") { manager, _ in try await manager.shutdown() },
        Verb("shutdown in a child task") { manager, _ in
            async let end: Void = manager.shutdown()
            try await end
        },
        Verb("shutdown in another task") { manager, _ in Task { try await manager.shutdown() } },
    ]

    /// Makes the call in the closure once.
    ///
    /// - Returns: The error of the call.
    private func error(of verb: Verb, in place: Place) async throws -> (any Error)? {
        var memory = try MemoryManager()
        memory.configuration.downloads.limits.activeFiles = 1
        let (calls, report) = AsyncStream.makeStream(of: (any Error)?.self)
        let hasCalled = OnceFlag()
        let call: @Sendable (DownloadManager, Receipt.ID) async -> Void = { manager, id in
            guard hasCalled.raise() else { return }
            do {
                try await verb.call(manager, id)
                report.yield(nil)
            } catch {
                report.yield(error)
            }
        }
        Self.set(call, as: place, in: &memory.configuration)
        if place == .authorizationSource {
            memory.engine = MemoryEngine { request, _ in
                if request.headers.contains(where: { $0.name == "Authorization" }) {
                    return .honest([1, 2, 3], request.range)
                }
                let field = HTTPHeader("www-authenticate", "Bearer")
                return MemoryEngine.Reply(head: ResponseHead(status: 401, fields: [field]))
            }
        }
        if place == .resolveExisting || place == .resolveAtAddition {
            try memory.directory.makeDirectory("f")
            try memory.directory.write("mine", to: "f/file")
        }
        let destination: DownloadRequest.Destination =
            place == .resolveAtAddition ? .file(memory.files.appending("file")) : .directory(memory.files)
        return try await memory.run { manager in
            var entry = QueueEntry(try DownloadRequest("http://host/file", to: destination))
            entry.onComplete = place == .onComplete ? "unpack" : nil
            _ = try? await manager.add(entry)
            if place == .onProgress || place == .onCompletion {
                let id = Receipt.ID(rawValue: 1)
                manager.follow(id, every: .milliseconds(1)) { _ in
                    if place == .onProgress { await call(manager, id) }
                } onCompletion: { _ in
                    await call(manager, id)
                }
            }
            return try #require(await calls.first { _ in true })
        }
    }

    private static func set(
        _ call: @escaping @Sendable (DownloadManager, Receipt.ID) async -> Void, as place: Place,
        in configuration: inout ManagerConfiguration
    ) {
        switch place {
        case .mayStart:
            configuration.mayStart = { receipt, manager in
                await call(manager, receipt.id)
                return .start
            }
        case .authorize:
            configuration.authorize = { receipt, manager in
                await call(manager, receipt.id)
                return nil
            }
        case .authorizationSource:
            configuration.authorize = { receipt, manager in
                let source = AuthorizationSource { _ in
                    await call(manager, receipt.id)
                    return "Bearer t"
                }
                return Authorization(credentials: .authorization(from: source))
            }
        case .pieces:
            configuration.pieces = { receipt, manager in
                await call(manager, receipt.id)
                return nil
            }
        case .chooseDestination:
            configuration.chooseDestination = { receipt, _, manager in
                await call(manager, receipt.id)
                return nil
            }
        case .resolveExisting, .resolveAtAddition:
            configuration.resolveExisting = { file, manager in
                await call(manager, file.id ?? Receipt.ID(rawValue: 1))
                return .replace
            }
        case .onComplete:
            configuration.onComplete = { _, receipt, manager in await call(manager, receipt.id) }
        case .afterCompletion:
            configuration.afterCompletion = { receipt, manager in await call(manager, receipt.id) }
        case .onEvent:
            configuration.onEvent = { event, manager in
                if case .changed(let receipt, _) = event { await call(manager, receipt.id) }
            }
        case .onProgress, .onCompletion: break
        }
    }

    @Test("each returns or throws", arguments: Place.allCases)
    func all(_ place: Place) async throws {
        for verb in Self.verbs {
            let error = try await error(of: verb, in: place) as? DownloadError
            #expect((error?.code == .waitsForItself) == verb.waits(in: place), "\(place) \(verb.name)")
        }
    }

    @Test("a stream ends in a closure that a download awaits", arguments: Place.allCases.filter(\.isOfRun))
    func streams(_ place: Place) async throws {
        let counts = Lock<[Int]>([])
        let verb = Verb("streams") { manager, _ in
            var (progress, receipts, events) = (0, 0, 0)
            for await _ in manager.progress(every: .milliseconds(1)) { progress += 1 }
            for await _ in manager.activeReceipts(every: .milliseconds(1)) { receipts += 1 }
            for await _ in manager.events() { events += 1 }
            counts.withLock { [progress, receipts, events] in $0 = [progress, receipts, events] }
        }
        let error = try await error(of: verb, in: place)
        #expect(error == nil)
        #expect(counts.withLock { $0 } == [1, 1, 0])
    }

    @Test("a shutdown in the hook after a file leaves the file complete")
    func shutdownAfterCompletion() async throws {
        var memory = try MemoryManager()
        let calls = Counter()
        memory.configuration.afterCompletion = { _, manager in
            _ = calls.enter()
            try await manager.shutdown()
        }
        let id = try await memory.run { manager in
            let id = try await manager.add(
                DownloadRequest("http://host/file", to: .directory(memory.files))
            ).id
            #expect(try await manager.result(of: id).state == .completed)
            return id
        }
        try await memory.run { manager in
            #expect(await manager.receipt(id)?.state == .completed)
        }
        #expect(calls.value == 1)
    }

    @Test("a wait for all after a shutdown throws")
    func idleAfterShutdown() async throws {
        let memory = try MemoryManager()
        try await memory.run { manager in
            try await manager.shutdown()
            let error = await #expect(throws: DownloadError.self) { try await manager.waitUntilIdle() }
            #expect(error?.code == .shutDown)
        }
    }
}
