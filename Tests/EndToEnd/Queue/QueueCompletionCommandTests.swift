import Foundation
import SegmentedDL
import TestSupport
import Testing

@Suite("The completion command of a queue's download")
struct QueueCompletionCommandTests {
    @Test("is run with the path, URL and size")
    func onComplete() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 1234, name: "a.bin")
        try await fixture.must(
            "add", "-d", "files", "--on-complete", "echo \"$SEGDL_PATH $SEGDL_URL $SEGDL_SIZE\" > told", url)
        try await fixture.must(
            "add", "-d", "files", "--on-complete", "test -e allowed",
            fixture.server.url("plain", 1000, name: "b.bin"))
        let first = try await fixture.run("start", "--progress", "plain")
        #expect(first.status == 1)
        #expect(first.errors.contains("b.bin' is complete, but 'test -e allowed' failed"))
        let told = String(decoding: try fixture.directory.read("told"), as: UTF8.self)
        #expect(told.hasSuffix("/files/a.bin \(url) 1234\n"))
        #expect(try await fixture.list().map(\.state) == [.completed, .failed])
        let requests = try await fixture.server.peak().requests
        try fixture.directory.write("", to: "allowed")
        try await fixture.must("resume", "2")
        try await fixture.must("start", "--progress", "none")
        #expect(try await fixture.list().map(\.state) == [.completed, .completed])
        // The file existed: only the steps after it were repeated.
        #expect(try await fixture.server.peak().requests == requests)
    }

    @Test("is ended with all of its child processes")
    func endsGroups() async throws {
        let fixture = try await QueueCommandFixture()
        let command = "touch begun; sh -c 'sleep 100; touch late' & wait"
        try await fixture.must(
            "add", "-d", "files", "--on-complete", command, fixture.server.url("plain", 1000, name: "a.bin"))
        let process = try fixture.start("start", "--keep-running", "--progress", "none")
        try await fixture.directory.waitFor("begun")
        try await fixture.must("pause", "all")
        #expect(try await fixture.list().map(\.state) == [.paused])
        let left = try await ChildProcess(
            "/bin/sh", ["-c", "ps -eo args | grep -c '[s]leep 100; touch late'"]
        )
        .result()
        #expect(left.output == "0\n")
        process.send(SIGTERM)
        _ = await process.result()
    }

    @Test("is killed if it does not end")
    func killsStubborn() async throws {
        let fixture = try await QueueCommandFixture()
        let command = "trap '' TERM; echo $$ > stubborn; while :; do sleep 1; done"
        try await fixture.must(
            "add", "-d", "files", "--on-complete", command, fixture.server.url("plain", 1000, name: "a.bin"))
        let process = try fixture.start("start", "--progress", "none")
        try await fixture.directory.waitFor("stubborn")
        process.send(SIGTERM)
        #expect(await process.result().status == 143)
        let id = String(decoding: try fixture.directory.read("stubborn"), as: UTF8.self)
        let number = try #require(Int32(id.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(number, 0) == -1)
    }

    @Test("has no signal blocked or ignored")
    func signalsOfFollowers() async throws {
        let fixture = try await QueueCommandFixture()
        let url = fixture.server.url("plain", 1000, name: "a.bin")
        try await fixture.must(
            "add", "-d", "files", "--on-complete", "exec grep -E 'Sig(Blk|Ign)' /proc/self/status > signals",
            url)
        try await fixture.must("start", "--progress", "none")
        let lines = String(decoding: try fixture.directory.read("signals"), as: UTF8.self).split(
            separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            // Two real-time signals are used by the C library.
            let signals = UInt64(line.split(separator: "\t").last ?? "", radix: 16)
            #expect(signals.map { $0 & 0x7fff_ffff } == 0, "\(line)")
        }
    }
}
