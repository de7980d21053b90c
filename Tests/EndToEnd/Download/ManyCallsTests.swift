import Foundation
import SegmentedDL
import SegmentedDLSupport
import TestSupport
import Testing

@Suite("A thousand calls at once")
struct ManyCallsTests {
    /// In a process of its own, whose descriptors and threads are those of the calls, and a few of the test.
    @Test("of one line each need few descriptors and threads", .timeLimit(.minutes(5)))
    func few() async {
        await #expect(processExitsWith: .success) {
            let fixture = try await DownloadFixture()
            let peak = Lock((descriptors: 0, threads: 0))
            let hasEnded = OnceFlag()
            @Sendable func count(_ name: String) -> Int {
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/\(name)").count) ?? 0
            }
            let before = count("fd")
            let sampler = Thread {
                while !hasEnded.isRaised {
                    let (descriptors, threads) = (count("fd"), count("task"))
                    peak.withLock { $0 = (max($0.descriptors, descriptors), max($0.threads, threads)) }
                    Thread.sleep(forTimeInterval: 0.002)
                }
            }
            sampler.start()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Every other response is slow.
                for number in 0..<1000 {
                    let query = number % 2 == 0 ? "" : "delay=20"
                    let url = fixture.server.url("plain", 20_000, name: "\(number).bin", query)
                    let directory = fixture.directory.path
                    group.addTask { _ = try await Downloader.download(url, to: .directory(path: directory)) }
                }
                try await group.waitForAll()
            }
            hasEnded.raise()
            let most = peak.withLock { $0 }
            #expect(fixture.directory.names.count == 1000)
            #expect(most.descriptors - before < 64 && most.threads < 30, "\(most)")
        }
    }
}
