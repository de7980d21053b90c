import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("A source of keys")
struct AWSKeySourceTests {
    private struct Failure: Error {}

    /// Returns the keys 1, 2 and so on, valid for ten minutes each; those with numbers in `failing` fail.
    private func source(failing: Set<Int> = []) -> (AWSKeySource, Lock<Int64>) {
        let clock = Lock(Int64(0))
        let count = Lock(0)
        let source = AWSKeySource {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if failing.contains(number) { throw Failure() }
            return AWSKeys(
                accessKeyID: "\(number)", secretAccessKey: "s", expiration: clock.withLock { $0 } + 600)
        }
        return (source, clock)
    }

    private func key(_ source: AWSKeySource, _ clock: Lock<Int64>, at now: Int64) async throws -> String {
        clock.withLock { $0 = now }
        return try #require(try await source.keys(now: now)).accessKeyID
    }

    @Test("is queried again five minutes before a key expires, and not earlier")
    func renewal() async throws {
        let (source, clock) = source()
        var keys: [String] = []
        for now in [0, 1, 299, 300, 301, 599, 600, 5000] as [Int64] {
            keys.append(try await key(source, clock, at: now))
        }
        #expect(keys == ["1", "1", "1", "2", "2", "2", "3", "4"])
    }

    @Test("that fails leaves the earlier key in use until it expires")
    func failure() async throws {
        let (source, clock) = source(failing: [2, 3, 4])
        #expect(try await key(source, clock, at: 0) == "1")
        #expect(try await key(source, clock, at: 400) == "1")
        #expect(try await key(source, clock, at: 599) == "1")
        await #expect(throws: Failure.self) { try await key(source, clock, at: 600) }
        #expect(try await key(source, clock, at: 601) == "5")
    }

    @Test("that no longer has keys leaves the earlier key in use until it expires")
    func lost() async throws {
        let count = Lock(0)
        let lack = Lock<String?>("no service")
        let source = AWSKeySource.optional(lack: lack) {
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            return isFirst ? AWSKeys(accessKeyID: "1", secretAccessKey: "s", expiration: 600) : nil
        }
        for now in [0, 400, 599] as [Int64] {
            #expect(try await source.keys(now: now)?.accessKeyID == "1")
        }
        await #expect(throws: DownloadError.self) { try await source.keys(now: 600) }
        #expect(source.takeLack() == "no service")
        #expect(source.takeLack() == nil)
    }

    @Test("is queried once for all waiting requests")
    func once() async throws {
        let (asked, opened) = (Lock(0), AsyncEvent())
        let source = AWSKeySource {
            asked.withLock { $0 += 1 }
            await opened.wait()
            return AWSKeys(accessKeyID: "a", secretAccessKey: "b")
        }
        try await withThrowingTaskGroup(of: AWSKeys?.self) { group in
            for _ in 0..<50 { group.addTask { try await source.keys(now: 0) } }
            opened.send()
            for try await keys in group { #expect(keys?.accessKeyID == "a") }
        }
        #expect(asked.withLock { $0 } == 1)
    }

    @Test(
        "is queried again for a key that the store refuses before it expires, once for all refused requests")
    func refused() async throws {
        let (source, clock) = source()
        #expect(try await key(source, clock, at: 0) == "1")
        for _ in 0..<3 { #expect(try await source.renew { $0.accessKeyID == "1" }) }
        #expect(try await key(source, clock, at: 1) == "2")
    }

    @Test("without another key leaves the refusal in place")
    func same() async throws {
        let count = Lock(0)
        let source = AWSKeySource {
            count.withLock { $0 += 1 }
            return AWSKeys(accessKeyID: "1", secretAccessKey: "s")
        }
        _ = try await source.keys(now: 0)
        #expect(try await !source.renew { $0.accessKeyID == "1" })
        #expect(count.withLock { $0 } == 2)
    }

    @Test("that fails to renew a refused key throws its error, and keeps the key")
    func refusedFailure() async throws {
        let (source, clock) = source(failing: [2])
        #expect(try await key(source, clock, at: 0) == "1")
        await #expect(throws: Failure.self) { try await source.renew { $0.accessKeyID == "1" } }
        #expect(try await key(source, clock, at: 1) == "1")
    }

    @Test("is no longer queried when all waiting requests are cancelled")
    func cancelled() async throws {
        let (began, ended) = (AsyncEvent(), AsyncEvent())
        let source = AWSKeySource {
            began.send()
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                ended.send()
                throw error
            }
            return AWSKeys(accessKeyID: "a", secretAccessKey: "b")
        }
        let request = Task { try await source.keys(now: 0) }
        await began.wait()
        request.cancel()
        await ended.wait()
        await #expect(throws: CancellationError.self) { try await request.value }
    }

    @Test("may supply keys with white space around them, and none with other invalid characters")
    func invalid() throws {
        let keys = AWSKeys(accessKeyID: " id", secretAccessKey: "s\n", sessionToken: "t\r\n")
        let credentials = try keys.credentials(region: "r")
        #expect(credentials.user == "id" && credentials.password == "s")
        #expect(credentials.signature?.sessionToken == "t")
        let evil = AWSKeys(accessKeyID: "id", secretAccessKey: "s", sessionToken: "t\r\nX-Evil: y")
        #expect(throws: DownloadError.self) { try evil.credentials(region: "r") }
    }

    @Test("and its keys reveal no secret when printed or dumped")
    func secrets() throws {
        let keys = AWSKeys(accessKeyID: "id", secretAccessKey: "hidden", sessionToken: "hidden")
        var text = "\(keys) \(String(reflecting: keys)) \(try keys.credentials(region: "r"))"
        dump(keys, to: &text)
        #expect(!text.contains("hidden"))
    }
}
