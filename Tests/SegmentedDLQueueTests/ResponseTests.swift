import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import TestSupport

@Suite("The server's response at the end of a download")
struct ResponseTests {
    private func memory(
        _ head: @escaping @Sendable (ResponseHead) -> ResponseHead = { $0 }
    ) throws -> MemoryManager {
        var memory = try MemoryManager()
        memory.engine = MemoryEngine { request, _ in
            var reply = MemoryEngine.Reply.honest([1, 2, 3], request.range)
            reply.head = head(reply.head)
            return reply
        }
        return memory
    }

    private func with(_ fields: [HTTPHeader], _ head: ResponseHead) -> ResponseHead {
        ResponseHead(status: head.status, fields: head.allFields + fields)
    }

    @Test("is on a result, its receipt and the receipt of the next manager, without cookies")
    func success() async throws {
        let memory = try memory { [self] head in
            with([HTTPHeader("X-Kind", "a"), HTTPHeader("Set-Cookie", "secret=1")], head)
        }
        let id = try await memory.run { manager in
            let id = try await manager.add(
                DownloadRequest("http://host/file", to: .directory(memory.files))
            ).id
            let response = try #require(await manager.result(of: id).response)
            #expect(response.status == 206)
            #expect(response.length == 3)
            #expect(response.finalSource.url == "http://host/file")
            #expect(response.value(of: "X-Kind") == "a")
            #expect(response.value(of: "Set-Cookie") == nil)
            return id
        }
        try await memory.run { manager in
            #expect(await manager.receipt(id)?.response?.value(of: "x-kind") == "a")
        }
    }

    @Test("of a refusal is on the error and on the receipt")
    func refusal() async throws {
        var memory = try MemoryManager()
        memory.engine = MemoryEngine { _, _ in
            .init(
                head: ResponseHead(
                    status: 404, fields: [HTTPHeader("Content-Type", "text/html"), HTTPHeader("X-Id", "7")]))
        }
        try await memory.run { [files = memory.files] manager in
            let id = try await manager.add(DownloadRequest("http://host/file", to: .directory(files))).id
            let error = await #expect(throws: DownloadError.self) { try await manager.result(of: id) }
            #expect(error?.response?.status == 404)
            #expect(error?.response?.value(of: "X-Id") == "7")
            #expect(error?.response?.contentType == "text/html")
            #expect(await manager.receipt(id)?.response?.status == 404)
        }
    }

    @Test("round-trips through its encoded form, and is stored without secrets and within a bound")
    func stored() throws {
        let signed = try Source("https://name:password@store/f?X-Amz-Signature=1&part=2")
        let long = HTTPHeader("X-Long", String(repeating: "a", count: 5000))
        let response = ResponseInfo(
            source: try Source("http://host/f"), finalSource: signed, status: 206,
            headers: [HTTPHeader("A", "1"), HTTPHeader("set-cookie", "s"), long, HTTPHeader("B", "2")],
            length: 5, etag: "\"1\"")
        let stored = response.storable
        #expect(stored.finalSource.url == "https://store/f?part=2")
        #expect(stored.headers == [HTTPHeader("A", "1")])
        let encoded = try JSONEncoder().encode(stored)
        #expect(try JSONDecoder().decode(ResponseInfo.self, from: encoded) == stored)
        // The name of 0.2.0.
        #expect(String(decoding: encoded, as: UTF8.self).contains(#""fields":[["A","1"]]"#))
    }
}
