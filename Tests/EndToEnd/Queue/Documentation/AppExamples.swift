import Foundation
import SegmentedDL
import SegmentedDLObservation
import SegmentedDLQueue
import SegmentedDLTesting
import SystemPackage
import TestSupport
import Testing

// example begins
/// The downloads of an app, which its views observe.
@MainActor
final class Downloads {
    let manager: DownloadManager
    let model = QueueModel()
    private(set) var fraction = 0.0
    private(set) var message = ""
    private let showing: Task<Void, Never>

    init(_ manager: DownloadManager) {
        self.manager = manager
        showing = Task { [model] in await model.follow(manager) }
    }

    func fetch(_ url: String, to directory: FilePath) async throws -> Task<Void, Never> {
        let id = try await manager.add(DownloadRequest(url, to: .directory(directory))).id
        return manager.follow(id) { receipt in
            self.fraction = receipt.fraction ?? 0
        } onCompletion: { result in
            if case .failure(let error) = result { self.message = error.localizedDescription }
        }
    }

    func close() async throws {
        try await manager.shutdown()
        await showing.value
    }
}
// example ends

// example begins
/// The network of an app, and a log of its downloads.
@MainActor
final class Network {
    var hasWiFi = false
    private(set) var log: [String] = []

    func configuration(store: FilePath) -> ManagerConfiguration {
        var configuration = ManagerConfiguration(store: store)
        configuration.mayStart = { @MainActor _, _ in
            self.hasWiFi ? .start : .waitForSignal("no Wi-Fi")
        }
        configuration.onEvent = { @MainActor event, _ in self.log.append("\(event)") }
        return configuration
    }
}
// example ends

@Suite("The guide's examples of an app", .timeLimit(.minutes(10)))
struct AppExamples {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @MainActor @Test("closures that are marked with the main actor use its state")
    func network() async throws {
        let network = Network()
        let server = FaultServer(["http://host.example/a": FaultServer.File([1])])
        try await server.withManager(network.configuration(store: ":memory:")) { manager in
            let request = try DownloadRequest(
                "http://host.example/a", to: .directory(directory.filePath("files")))
            let id = try await manager.add(request).id
            for await receipt in manager.progress(of: id) where receipt.hold != nil { break }
            network.hasWiFi = true
            try await manager.reconsider()
            try await manager.result(of: id)
        }
        #expect(!network.log.isEmpty)
    }

    @MainActor @Test("its model shows how downloads end, and why one failed")
    func downloads() async throws {
        let files = directory.filePath("files")
        let server = FaultServer(["https://example.com/a.bin": FaultServer.File([1, 2, 3])])
        let downloads = Downloads(try await server.manager())
        try await downloads.fetch("https://example.com/a.bin", to: files).value
        #expect(downloads.fraction == 1 && downloads.message == "")
        try await downloads.fetch("https://example.com/missing.bin", to: files).value
        #expect(downloads.message.contains("404"))
        try await downloads.close()
        #expect(downloads.model.receipts.map(\.state) == [.completed, .failed])
        #expect(try directory.read("files/a.bin") == [1, 2, 3])
    }

    @Test("a manager opened for the store of the app, with a gate, and the text for a row")
    func opened() async throws {
        let store = directory.filePath("queue.sqlite")
        let manager = try await Self.open(store) { true }
        let id = try await manager.add(
            DownloadRequest("http://localhost:9/a.bin", to: .directory(directory.filePath("files")))
        ).id
        for await receipt in manager.progress(of: id) where receipt.hold != nil { break }
        #expect(await Self.texts(manager) == ["http://localhost:9/a.bin: no Wi-Fi"])
        try await manager.shutdown()
    }

    private static func open(
        _ store: FilePath, _ isMetered: @escaping @Sendable () -> Bool
    ) async throws -> DownloadManager {
        // example begins
        var configuration = ManagerConfiguration(store: store)
        configuration.reservedSpace = 500_000_000
        configuration.mayStart = { _, _ in isMetered() ? .waitForSignal("no Wi-Fi") : .start }
        let manager = try await DownloadManager(configuration)
        // example ends
        return manager
    }

    private static func texts(_ manager: DownloadManager) async -> [String] {
        var texts: [String] = []
        for receipt in await manager.receipts {
            // example begins
            let name = receipt.path?.lastComponent?.string ?? receipt.source.description
            let state = receipt.hold?.message ?? receipt.error?.localizedDescription ?? "\(receipt.state)"
            // example ends
            texts.append("\(name): \(state)")
        }
        return texts
    }
}
