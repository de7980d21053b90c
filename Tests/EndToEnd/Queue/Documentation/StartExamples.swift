import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@Suite("The guide's examples of checks before a download")
struct StartExamples {
    @Test("querying the length, and the space that it needs")
    func inspection() async throws {
        let fixture = try await QueueFixture()
        try await fixture.withManager { manager in
            try await manager.pause(.all)
            try await Self.inspect(fixture.url("plain", 100_000, "file.bin"), fixture.files, manager)
            #expect(await manager.progress.bytesTotal == 100_000)
            try await manager.waitUntilIdle()
        }
        #expect(fixture.fileNames == ["file.bin"])
    }

    private static func inspect(
        _ url: String, _ directory: FilePath, _ manager: DownloadManager
    ) async throws {
        // example begins
        var request = try DownloadRequest(url, to: .directory(directory))
        request.expectedLength = try await manager.inspect(request).length
        try await manager.add(request)
        print(try await manager.missingSpace(), "bytes are missing on the disk")
        // example ends
    }

    @Test("an open gate, and free space")
    func gate() async throws {
        let fixture = try await QueueFixture()
        var configuration = fixture.configuration
        Self.gate(&configuration) { false }
        Self.roots(&configuration, fixture.files)
        try await DownloadManager.withManager(configuration) { manager in
            try await manager.add(fixture.request(fixture.url("plain", 1000, "file.bin")))
            try await manager.waitUntilIdle()
        }
        #expect(fixture.fileNames == ["file.bin"])
    }

    private static func gate(
        _ configuration: inout ManagerConfiguration, _ isMetered: @escaping @Sendable () -> Bool
    ) {
        // example begins
        configuration.reservedSpace = 100_000_000
        configuration.mayStart = { receipt, manager in
            isMetered() ? .waitForSignal("no Wi-Fi") : .start
        }
        // example ends
    }

    private static func roots(_ configuration: inout ManagerConfiguration, _ documents: FilePath) {
        // example begins
        configuration.roots = ["documents": documents]
        // example ends
    }
}
