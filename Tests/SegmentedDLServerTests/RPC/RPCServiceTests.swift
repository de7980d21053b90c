import SegmentedDL
import SegmentedDLQueue
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDLServer

/// A queue that runs nothing, behind the RPC protocol.
struct ServiceFixture {
    let directory: TemporaryDirectory
    let service: RPCService
    let manager: DownloadManager
    let store: DaemonStore

    init() async throws {
        directory = try TemporaryDirectory()
        var configuration = ManagerConfiguration(store: directory.filePath("queue.sqlite"))
        configuration.runsDownloads = false
        manager = try await DownloadManager(configuration)
        store = try DaemonStore(beside: configuration.store)
        let fence = try Fence([directory.filePath("files")])
        let settings = RPCSettings(fence: fence, version: "1", userAgent: "a") {
            Secret("s").matches($0)
        } shutDown: {
        }
        service = RPCService(Downloads(manager: manager, store: store, fence: fence), settings: settings)
    }

    func send(_ message: String) async throws -> (status: Int, value: JSONValue) {
        let answer = await service.answer(Array(message.utf8))
        return (answer.status, try JSONValue(parsing: answer.body))
    }

    func call(_ method: String, _ parameters: JSONValue...) async throws -> JSONValue {
        let message: JSONValue = [
            "id": .integer(1), "method": .string("aria2.\(method)"),
            "params": .array(["token:s"] + parameters),
        ]
        return try JSONValue(parsing: await service.answer(message.bytes).body)
    }

    func add(_ name: String, _ options: [String: JSONValue] = [:]) async throws -> String {
        let answer = try await call("addUri", [.string("http://h/\(name)")], .object(options))
        return try #require(answer["result"]?.text, "\(answer)")
    }

    func end() async throws {
        try await manager.shutdown()
        await store.close()
    }
}

@Suite struct RPCServiceTests {
    @Test(
        "malformed messages have JSON-RPC's codes and aria2's statuses",
        arguments: [
            ("{", 500, -32_700), ("5", 500, -32_700), ("null", 400, -32_600), ("\"x\"", 400, -32_600),
            ("{\"method\":\"x\"}", 400, -32_600),
            ("{\"id\":1}", 400, -32_600), ("{\"id\":1,\"method\":5}", 400, -32_600),
            ("{\"id\":1,\"method\":\"aria2.getVersion\",\"params\":{}}", 500, -32_602),
            ("{\"id\":1,\"method\":\"nope\",\"params\":[\"token:s\"]}", 400, 1),
        ])
    func malformed(message: String, status: Int, code: Int64) async throws {
        let fixture = try await ServiceFixture()
        let answer = try await fixture.send(message)
        #expect(answer.status == status)
        #expect(answer.value["error"]?["code"] == .integer(code))
        try await fixture.end()
    }

    @Test(
        "the id is returned unchanged",
        arguments: ["0", "-1", "\"abc\"", "null", "1.5", "[1,{\"a\":2}]", "true"])
    func id(text: String) async throws {
        let fixture = try await ServiceFixture()
        let answer = await fixture.service.answer(
            Array("{\"jsonrpc\":2,\"id\":\(text),\"method\":\"system.listNotifications\"}".utf8))
        #expect(
            String(decoding: answer.body, as: UTF8.self).hasPrefix(
                "{\"id\":\(text),\"jsonrpc\":\"2.0\",\"result\""))
        try await fixture.end()
    }

    @Test("a batch is answered in order, and members that are not objects are skipped")
    func batch() async throws {
        let fixture = try await ServiceFixture()
        let answer = try await fixture.send(
            "[{\"id\":1,\"method\":\"system.listMethods\"},5,{\"id\":2,\"method\":\"nope\",\"params\":[\"token:s\"]}]"
        )
        #expect(answer.status == 200)
        #expect(answer.value.elements?.map { $0["id"] } == [.integer(1), .integer(2)])
        #expect(try await fixture.send("[]").value == [])
        try await fixture.end()
    }

    @Test("a call without the secret is unauthorized, even within a multicall")
    func unauthorized() async throws {
        let fixture = try await ServiceFixture()
        let answer = try await fixture.send(
            "{\"id\":1,\"method\":\"aria2.getVersion\",\"params\":[\"token:x\"]}")
        #expect(answer.status == 400)
        #expect(answer.value["error"] == ["code": .integer(1), "message": "Unauthorized"])
        let many = try await fixture.send(
            """
            {"id":1,"method":"system.multicall","params":[[{"methodName":"aria2.getVersion","params":["token:s"]},
            {"methodName":"aria2.getVersion"},{"methodName":"system.multicall","params":[]},5]]}
            """)
        let results = try #require(many.value["result"]?.elements)
        #expect(results[0].elements?.first?["version"] == "1.36.0")
        #expect(results[1]["message"] == "Unauthorized")
        #expect(results[2]["message"] == "Recursive system.multicall forbidden.")
        #expect(results[3]["message"] == "system.multicall expected struct.")
        try await fixture.end()
    }

    @Test("a download is found by its gid or its prefix, and keeps its options")
    func statusAndOptions() async throws {
        let fixture = try await ServiceFixture()
        let gid = try await fixture.add(
            "a", ["gid": "00ABCDEF01234567", "out": "x/y.bin", "header": ["A: 1", "B: 2"], "split": "3"])
        #expect(gid == "00abcdef01234567")
        let status = try await fixture.call("tellStatus", "00ab", ["gid", "status", "nonsense", "numPieces"])
        #expect(status["result"] == ["gid": .string(gid), "status": "waiting", "numPieces": "0"])
        let options = try await fixture.call("getOption", .string(gid))
        #expect(options["result"]?["out"] == "y.bin")
        #expect(options["result"]?["header"] == "A: 1\nB: 2")
        #expect(options["result"]?["split"] == "3")
        #expect(options["result"]?["gid"] == nil)
        let again = try await fixture.call("addUri", ["http://h/b"], ["gid": .string(gid)])
        #expect(again["error"]?["message"] == .string("GID \(gid) is not unique"))
        try await fixture.end()
    }

    @Test("a message with too many calls is refused as a whole")
    func tooManyCalls() async throws {
        let fixture = try await ServiceFixture()
        let most = RPCService.callsOfMessage
        for (count, isTaken) in [(most, true), (most + 1, false)] {
            let batch = await fixture.service.answer(
                JSONValue.array(Array(repeating: [:], count: count)).bytes)
            #expect(try JSONValue(parsing: batch.body).elements?.count == (isTaken ? count : nil))
            #expect(batch.status == (isTaken ? 200 : 400))
            let calls = JSONValue.array(Array(repeating: .integer(1), count: count))
            let message: JSONValue = ["id": "1", "method": "system.multicall", "params": [calls]]
            let answer = try JSONValue(parsing: await fixture.service.answer(message.bytes).body)
            #expect((answer["result"] != nil) == isTaken)
        }
        try await fixture.end()
    }

    @Test("the same URL can be added repeatedly")
    func twice() async throws {
        let fixture = try await ServiceFixture()
        let first = try await fixture.add("a", ["out": "a.tar.gz"])
        let second = try await fixture.add("a", ["out": "a.tar.gz"])
        #expect(first != second)
        let paths = try await [first, second].asyncMap {
            try await fixture.call("getFiles", .string($0))["result"]?.elements?.first?["path"]?.text
        }
        #expect(paths.map { $0?.split(separator: "/").last } == ["a.tar.gz", "a.tar.1.gz"])
        try await fixture.end()
    }

    @Test("positions count waiting downloads")
    func positions() async throws {
        let fixture = try await ServiceFixture()
        let only = try await fixture.add("only")
        let least = try await fixture.call("changePosition", .string(only), .integer(.min), "POS_CUR")
        #expect(least["result"] == .integer(0))
        _ = try await fixture.call("remove", .string(only))
        var gids: [String] = []
        for name in ["a", "b", "c"] { gids.append(try await fixture.add(name)) }
        func order() async throws -> [String?]? {
            let waiting = try await fixture.call("tellWaiting", .integer(0), .integer(9), ["gid"])
            return waiting["result"]?.elements?.map { $0["gid"]?.text }
        }
        func move(_ gid: String, _ offset: Int64, _ how: JSONValue) async throws -> JSONValue? {
            try await fixture.call("changePosition", .string(gid), .integer(offset), how)["result"]
        }
        #expect(try await move(gids[2], 0, "POS_SET") == .integer(0))
        #expect(try await order() == [gids[2], gids[0], gids[1]])
        #expect(try await move(gids[2], 1, "POS_CUR") == .integer(1))
        #expect(try await order() == [gids[0], gids[2], gids[1]])
        #expect(try await move(gids[0], 0, "POS_END") == .integer(2))
        #expect(try await order() == [gids[2], gids[1], gids[0]])
        #expect(try await move(gids[0], -99, "POS_CUR") == .integer(0))
        #expect(try await move(gids[0], 99, "POS_SET") == .integer(2))
        for offset in [Int64.min, .max] {
            for how in ["POS_SET", "POS_CUR", "POS_END"] as [JSONValue] {
                #expect(try await move(gids[0], offset, how) == .integer(offset < 0 ? 0 : 2))
            }
        }
        let front = try await fixture.call("addUri", ["http://h/d"], [:], .integer(0))
        #expect(try await order()?.first == front["result"]?.text)
        try await fixture.end()
    }

    @Test(
        "a download is moved while another client removes its neighbours, and is not found once removed"
    )
    func positionsWhileRemoving() async throws {
        let fixture = try await ServiceFixture()
        let moved = try await fixture.add("moved")
        var gids: [String] = []
        for number in 0..<40 { gids.append(try await fixture.add("f\(number)")) }
        let answers = try await withThrowingTaskGroup(of: JSONValue?.self) { [gids] group in
            for (place, gid) in gids.enumerated() {
                group.addTask {
                    try await fixture.call(
                        "changePosition", .string(moved), .integer(Int64(40 - place)), "POS_SET")
                }
                group.addTask {
                    _ = try await fixture.call("remove", .string(gid))
                    return nil
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        #expect(answers.count == 40)
        #expect(answers.allSatisfy { $0["result"]?.whole != nil }, "\(answers)")
        _ = try await fixture.call("remove", .string(moved))
        let late = try await fixture.call("changePosition", .string(moved), .integer(0), "POS_SET")
        #expect(late["error"]?["message"] == .string("GID \(moved) is not found"))
        try await fixture.end()
    }

    @Test("a waiting download is removed with its options")
    func removal() async throws {
        let fixture = try await ServiceFixture()
        let gid = try await fixture.add("a", ["referer": "http://r/", "pause": "true"])
        #expect(
            await fixture.store.attachment(of: try #require(GID(gid))).options["referer"] == ["http://r/"])
        #expect(
            try await fixture.call("pause", .string(gid))["error"]?["message"]
                == .string("GID#\(gid) cannot be paused now"))
        #expect(try await fixture.call("remove", .string(gid))["result"] == .string(gid))
        #expect(
            try await fixture.call("tellStatus", .string(gid))["error"]?["message"]
                == .string("GID \(gid) is not found"))
        try await fixture.end()
    }

    @Test(
        "paths outside the allowed directories and options of the daemon are refused",
        arguments: [
            ("dir", "/etc"), ("dir", "../.."), ("out", "../x"), ("out", "/etc/x"), ("log", "x"),
            ("on-download-complete", "/bin/sh"), ("save-session", "x"), ("rpc-secret", "x"),
            ("header", "A: 1\r\nB: 2"), ("referer", "a\nb"),
        ])
    func refused(name: String, value: String) async throws {
        let fixture = try await ServiceFixture()
        let gid = try await fixture.add("a")
        for answer in [
            try await fixture.call("addUri", ["http://h/b"], .object([name: .string(value)])),
            try await fixture.call("changeOption", .string(gid), .object([name: .string(value)])),
        ] {
            // The lines of one text are several headers, as sent by front ends.
            if name == "header" { continue }
            #expect(answer["error"]?["code"] == .integer(1), "\(answer)")
        }
        if name != "out" && name != "header" && name != "referer" {
            let answer = try await fixture.call("changeGlobalOption", .object([name: .string(value)]))
            #expect(answer["error"]?["code"] == .integer(1), "\(answer)")
        }
        #expect(await fixture.manager.receipts.allSatisfy { $0.path == nil })
        try await fixture.end()
    }

    @Test("caps are changed, and returned in bytes")
    func globalOptions() async throws {
        let fixture = try await ServiceFixture()
        let change: JSONValue = [
            "max-overall-download-limit": "300K", "max-concurrent-downloads": "7", "split": "2",
        ]
        #expect(try await fixture.call("changeGlobalOption", change)["result"] == "OK")
        let options = try await fixture.call("getGlobalOption")["result"]
        #expect(options?["max-overall-download-limit"] == "307200")
        #expect(options?["max-concurrent-downloads"] == "7")
        #expect(await fixture.manager.limits.rate == 307_200)
        let gid = try await fixture.add("a")
        #expect(try await fixture.call("getOption", .string(gid))["result"]?["split"] == "2")
        try await fixture.end()
    }

    @Test("sources are replaced one by one")
    func changeURI() async throws {
        let fixture = try await ServiceFixture()
        let gid = try await fixture.add("a")
        let answer = try await fixture.call(
            "changeUri", .string(gid), .integer(1), ["http://h/a", "http://h/zzz"],
            ["http://i/a", "nope", "http://j/a"])
        #expect(answer["result"] == [.integer(1), .integer(2)])
        let uris = try await fixture.call("getUris", .string(gid))["result"]?.elements
        #expect(uris?.map { $0["uri"] } == ["http://i/a", "http://j/a"])
        try await fixture.end()
    }

    @Test("a call is accepted by GET, with its parameters in Base64")
    func query() async throws {
        let fixture = try await ServiceFixture()
        // ["token:s"]
        let answer = await fixture.service.answer(
            query: "method=aria2.getSessionInfo&id=a%20b&params=WyJ0b2tlbjpzIl0%3D")
        #expect(answer.status == 200)
        let value = try JSONValue(parsing: answer.body)
        #expect(value["id"] == "a b")
        #expect(value["result"]?["sessionId"]?.text?.count == 40)
        try await fixture.end()
    }
}

extension Array {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}
