import SegmentedDLQueue
import Testing

@testable import SegmentedDL

@Suite("Settings out of their range are errors, never clamped")
struct SettingsTests {
    struct Change: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var apply: @Sendable (inout Configuration) -> Void

        init(_ text: String, _ apply: @escaping @Sendable (inout Configuration) -> Void) {
            testDescription = text
            self.apply = apply
        }
    }

    static let invalidChanges: [Change] = [
        Change("no active files") { $0.limits.activeFiles = 0 },
        Change("negative active files") { $0.limits.activeFiles = .fixed(-1) },
        Change("no connections") { $0.limits.connections = 0 },
        Change("negative connections") { $0.limits.connections = .min },
        Change("no connections per host") { $0.limits.connectionsPerHost = 0 },
        Change("rate 0") { $0.limits.rate = 0 },
        Change("negative rate") { $0.limits.rate = -5 },
        Change("no segments") { $0.segments = .fixed(0) },
        Change("negative segments") { $0.segments = .fixed(-3) },
        Change("no minimum segment size") { $0.minimumSegmentSize = 0 },
        Change("no connect timeout") { $0.transport.connectTimeout = .zero },
        Change("negative connect timeout") { $0.transport.connectTimeout = .seconds(-1) },
        Change("more than a day of connecting") { $0.transport.connectTimeout = .seconds(86_401) },
        Change("negative low-speed limit") { $0.transport.lowSpeedLimit = -1 },
        Change("negative low-speed time") { $0.transport.lowSpeedTime = .seconds(-1) },
        Change("negative first-byte timeout") { $0.transport.firstByteTimeout = .seconds(-1) },
        Change("more than a day until the first byte") { $0.transport.firstByteTimeout = .seconds(86_401) },
        Change("negative redirects") { $0.transport.maxRedirects = -1 },
        Change("negative retries") { $0.retry.retries = -1 },
        Change("negative outage") { $0.retry.longestOutage = .seconds(-1) },
        Change("outage of more than a day") { $0.retry.longestOutage = .seconds(86_401) },
        Change("no requested wait") { $0.retry.longestRequestedWait = .zero },
        Change("requested wait of more than a day") { $0.retry.longestRequestedWait = .seconds(86_401) },
        Change("negative retries at the start") { $0.retry.retriesAtStart = -1 },
        Change("no retry delay") { $0.retry.delay = .zero },
        Change("negative retry delay") { $0.retry.delay = .seconds(-1) },
        Change("longest delay of more than a day") { $0.retry.longestDelay = .seconds(86_401) },
        Change("more than a day of low speed") { $0.transport.lowSpeedTime = .seconds(86_401) },
        Change("longest delay below the first") { $0.retry.longestDelay = .milliseconds(100) },
    ]

    @Test("an invalid setting is an error with a sentence", arguments: invalidChanges)
    func invalid(change: Change) throws {
        var configuration = Configuration()
        change.apply(&configuration)
        let error = try #require(throws: DownloadError.self) { try configuration.validate() }
        #expect(error.code == .invalidSetting)
        #expect(error.message.hasSuffix("."))
        #expect(error.message.first?.isLowercase == false)
    }

    @Test("a download outlasts an outage of two minutes, and a queue none, because it retries later")
    func outage() {
        #expect(Configuration().retry.longestOutage == .seconds(120))
        #expect(ManagerConfiguration.inMemory.downloads.retry.longestOutage == .zero)
        #expect(ManagerConfiguration.inMemory.retry.retries > 0)
    }

    static let validChanges: [Change] = [
        Change("the defaults") { _ in },
        Change("one of each") {
            $0.limits.activeFiles = 1
            $0.limits.connections = 1
            $0.limits.connectionsPerHost = 1
            $0.limits.rate = 1
            $0.segments = .fixed(1)
            $0.minimumSegmentSize = 1
        },
        Change("as many segments as connections") { $0.segments = .fixed($0.limits.connectionsPerHost) },
        Change("the longest connect timeout") { $0.transport.connectTimeout = .seconds(86_400) },
        Change("no low-speed limit") {
            $0.transport.lowSpeedLimit = 0
            $0.transport.lowSpeedTime = .zero
        },
        Change("no redirects") { $0.transport.maxRedirects = 0 },
        Change("no retries") { $0.retry.retries = 0 },
        Change("a delay that does not grow") { $0.retry.longestDelay = $0.retry.delay },
        Change("the greatest numbers") {
            $0.limits.activeFiles = .fixed(.max)
            $0.limits.connections = .max
            $0.limits.connectionsPerHost = .max
            $0.limits.rate = .max
            $0.minimumSegmentSize = .max
        },
    ]

    @Test("the bounds of a range are valid", arguments: validChanges)
    func valid(change: Change) {
        var configuration = Configuration()
        change.apply(&configuration)
        #expect(throws: Never.self) { try configuration.validate() }
    }

    @Test("a file may get as many connections as allowed")
    func automatic() {
        var limits = Limits()
        func count() -> Int {
            SegmentCount.automatic.connections(missing: 100, minimum: 1 << 20, limits: limits)
        }
        #expect(count() == 8)
        limits.connections = 3
        #expect(count() == 3)
        limits.connectionsPerHost = 2
        #expect(count() == 2)
    }

    @Test("a fixed count is only lowered by the minimum segment size")
    func fixed() {
        func count(_ missing: Int64, _ minimum: Int64) -> Int {
            SegmentCount.fixed(5).connections(missing: missing, minimum: minimum, limits: Limits())
        }
        #expect(count(100, 1) == 5)
        #expect(count(3, 1) == 3)
        #expect(count(0, 1) == 1)
        #expect(count(100, 50) == 2)
        #expect(count(.max, 1) == 5)
    }
}
