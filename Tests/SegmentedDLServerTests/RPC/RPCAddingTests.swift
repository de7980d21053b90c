import Foundation
import SegmentedDL
import TestSupport
import Testing

@testable import SegmentedDLQueue
@testable import SegmentedDLServer

@Suite struct RPCAddingTests {
    @Test("sources of unsupported protocols are ignored")
    func otherProtocols() async throws {
        let fixture = try await ServiceFixture()
        let sources: JSONValue = ["ftp://h/a", "http://h/a", "nope", "https://i/a"]
        let gid = try #require(try await fixture.call("addUri", sources)["result"]?.text)
        let uris = try await fixture.call("getUris", .string(gid))["result"]?.elements
        #expect(uris?.map { $0["uri"] } == ["http://h/a", "https://i/a"])
        let alone = try await fixture.call("addUri", ["ftp://h/a"])
        #expect(alone["error"]?["code"] == .integer(1))
        try await fixture.end()
    }

    @Test("the location of a file in a hub or store is a source, if it is the first one")
    func locations() async throws {
        let fixture = try await ServiceFixture()
        let sources: JSONValue = ["s3://work@bucket/a", "http://h/a", "hf://org/model/a"]
        let gid = try #require(try await fixture.call("addUri", sources)["result"]?.text)
        let uris = try await fixture.call("getUris", .string(gid))["result"]?.elements
        #expect(uris?.map { $0["uri"] } == ["s3://work@bucket/a", "http://h/a"])
        for wrong in ["hf://org/model", "oci://host/name:1", "s3://a:b@bucket/c"] {
            let refused = try await fixture.call("addUri", [.string(wrong)])
            #expect(refused["error"]?["code"] == .integer(1), "\(refused)")
        }
        try await fixture.end()
    }

    @Test("an asterisk as referer is replaced by the download's own URL, without its password")
    func ownReferer() async throws {
        let fixture = try await ServiceFixture()
        let answer = try await fixture.call("addUri", ["http://me:pw@h/a"], ["referer": "*"])
        let gid = try #require(answer["result"]?.text.flatMap { GID($0) })
        let authorization = await fixture.store.attachment(of: gid).authorization
        #expect(authorization.headers == [HTTPHeader("Referer", "http://h/a")])
        #expect(authorization.credentials == Credentials(user: "me", password: "pw"))
        try await fixture.end()
    }

    @Test("the options shown for a download add it again, as AriaNg's Retry does")
    func retry() async throws {
        let fixture = try await ServiceFixture()
        let first = try await fixture.add(
            "a", ["out": "x/a.bin", "header": ["A: 1"], "split": "2", "checksum": .string("md5=\(digest)")])
        let shown = try #require(try await fixture.call("getOption", .string(first))["result"])
        _ = try await fixture.call("remove", .string(first))
        let answer = try await fixture.call("addUri", ["http://h/a"], shown)
        let second = try #require(answer["result"]?.text, "\(answer)")
        #expect(second != first)
        #expect(try await fixture.call("getOption", .string(second))["result"] == shown)
        try await fixture.end()
    }

    private let digest = String(repeating: "0", count: 32)

    @Test("of concurrent calls with one gid, one adds a download")
    func sameGID() async throws {
        let fixture = try await ServiceFixture()
        let answers = try await withThrowingTaskGroup { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    try await fixture.call(
                        "addUri", [.string("http://h/\(name)")], ["gid": "00000000000000aa"])
                }
            }
            return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
        }
        #expect(answers.compactMap { $0["result"] } == ["00000000000000aa"])
        #expect(await fixture.manager.receipts.count == 1)
        try await fixture.end()
    }

    @Test(
        "a wrong secret costs one second per message, not per call", .timeLimit(.minutes(10))
    )
    func oneGuess() async throws {
        let fixture = try await ServiceFixture()
        let wrong = "{\"methodName\":\"aria2.getVersion\",\"params\":[\"token:old\"]}"
        let calls = Array(repeating: wrong, count: 1_000).joined(separator: ",")
        let answer = try await fixture.send(
            "{\"id\":1,\"method\":\"system.multicall\",\"params\":[[\(calls)]]}")
        let results = try #require(answer.value["result"]?.elements)
        #expect(results.count == 1_000)
        #expect(results.allSatisfy { $0["message"] == "Unauthorized" })
        try await fixture.end()
    }

    @Test("a download added as a request shows its settings as options, and a change keeps the others")
    func optionsOfRequest() async throws {
        let fixture = try await ServiceFixture()
        let downloads = fixture.service.downloads
        var request = try downloads.usualRequest(for: ["http://me:pw@h/a"])
        request.ifExists = .fail
        request.segments = .fixed(3)
        request.rate = 4096
        request.startsOver = true
        request.headers = [HTTPHeader("A", "b")]
        let receipt = try await downloads.add(QueueEntry(request))
        let gid = JSONValue.string(GID(of: receipt).description)
        let wanted: [String: JSONValue] = [
            "split": "3", "max-download-limit": "4096", "auto-file-renaming": "false", "header": "A: b",
            "http-user": "me", "http-passwd": "pw", "remote-time": "true",
            "remove-control-file": "true",
        ]
        let shown = try await fixture.call("getOption", gid)["result"]
        for (name, value) in wanted { #expect(shown?[name] == value, "\(name)") }

        #expect(try await fixture.call("changeOption", gid, ["referer": "http://r/"])["result"] == "OK")
        let authorization = await fixture.store.attachment(of: GID(of: receipt)).authorization
        #expect(authorization.headers == [HTTPHeader("A", "b"), HTTPHeader("Referer", "http://r/")])
        #expect(authorization.credentials == Credentials(user: "me", password: "pw"))
        let changed = try await fixture.call("getOption", gid)["result"]
        for (name, value) in wanted { #expect(changed?[name] == value, "\(name)") }
        try await fixture.end()
    }

    @Test("the queue stores the tries and whether a download starts over, and a change replaces them")
    func storedSettings() async throws {
        let fixture = try await ServiceFixture()
        let options: [String: JSONValue] = [
            "max-tries": "3", "remove-control-file": "true", "allow-overwrite": "true",
        ]
        let text = try await fixture.add("a", options)
        let gid = try #require(GID(text))
        let id = try #require(await fixture.manager.receipt(gid)).id
        func request() async -> DownloadRequest? { await fixture.manager.request(of: id) }

        #expect(await request()?.tries == FileTries(count: 3))
        #expect(await request()?.startsOver == true)
        let change: JSONValue = ["max-tries": "5", "allow-overwrite": "false"]
        #expect(try await fixture.call("changeOption", .string(text), change)["result"] == "OK")
        #expect(await request()?.tries == FileTries(count: 5))
        #expect(await request()?.startsOver == false)
        // Its other changes keep them.
        let other: JSONValue = ["referer": "http://r/"]
        #expect(try await fixture.call("changeOption", .string(text), other)["result"] == "OK")
        #expect(await request()?.tries == FileTries(count: 5))
        try await fixture.end()
    }

    @Test("the queue stores the length of a Metalink's file, and the origin of its digest")
    func metalink() async throws {
        let fixture = try await ServiceFixture()
        let url = "<url>http://h/a</url>"
        let hash = "<hash type=\"sha-256\">\(digest)\(digest)</hash>"
        let files = [
            "<file name=\"a\"><size>5</size>\(url)</file>",
            "<file name=\"b\"><size>5</size>\(hash)\(url)</file>",
        ]
        let document = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files.joined())</metalink>"
        let upload = JSONValue.string(Data(document.utf8).base64EncodedString())
        #expect(try await fixture.call("addMetalink", upload)["result"]?.elements?.count == 2)
        let receipts = await fixture.manager.receipts
        var requests: [DownloadRequest] = []
        for receipt in receipts {
            requests.append(try #require(await fixture.manager.request(of: receipt.id)))
        }
        #expect(requests.map(\.expectedLength) == [5, nil])
        #expect(requests.map(\.checksumOrigin) == [nil, .metalink])
        // A change of the digest is the caller's.
        let gid = JSONValue.string(GID(of: receipts[1]).description)
        let other = "sha256=" + String(repeating: "1", count: 64)
        let change: JSONValue = ["checksum": .string(other)]
        #expect(try await fixture.call("changeOption", gid, change)["result"] == "OK")
        let changed = await fixture.manager.request(of: receipts[1].id)
        #expect(changed?.checksums.map(\.description) == [other] && changed?.checksumOrigin == nil)
        try await fixture.end()
    }

    @Test("a change of one option keeps the others")
    func otherOptions() async throws {
        let fixture = try await ServiceFixture()
        // As added by a command on this machine.
        var wanted = try DownloadRequest("http://h/a", to: .directory(fixture.directory.filePath("files")))
        wanted.ifExists = .fail
        let id = try await fixture.manager.add(wanted).id
        let gid = JSONValue.string(GID(number: id).description)
        func request() async -> DownloadRequest? { await fixture.manager.request(of: id) }

        #expect(try await fixture.call("changeOption", gid, ["max-download-limit": "1K"])["result"] == "OK")
        #expect(await request()?.rate == 1_024)
        #expect(await request()?.ifExists == .fail)
        let change: JSONValue = ["allow-overwrite": "true", "continue": "true", "remote-time": "false"]
        #expect(try await fixture.call("changeOption", gid, change)["result"] == "OK")
        #expect(await request()?.ifExists == .replace)
        #expect(await request()?.takesOver == true)
        #expect(await request()?.keepsRemoteDate == false)
        try await fixture.end()
    }
}
