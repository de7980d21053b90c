import ArgumentParser
import SegmentedDL
import SystemPackage
import Testing

@testable import segdl

@Suite("The requests of a run")
struct FetchRequestTests {
    private func requests(_ arguments: String..., for entries: InputList.Entry...) throws -> RunRequests {
        var collector = try Fetch.parse(arguments).collector()
        for entry in entries { collector.add(entry) }
        return collector.requests
    }

    private func request(
        _ arguments: String..., for file: InputList.File = InputList.File(urls: ["http://host/a"])
    ) throws -> DownloadRequest {
        var collector = try Fetch.parse(arguments).collector()
        collector.add(.file(file))
        return try collector.requests[0].get()
    }

    @Test("have the options of the command line, overridden by those of the list")
    func options() throws {
        var file = InputList.File(urls: ["http://host/b", "http://mirror/b"], line: 1)
        try file.options.take("out=b.iso")
        try file.options.take("header=B: 2")
        let requests = try requests(
            "-d", "isos", "-H", "A: 1", "--if-exists", "skip", "--restart", "http://host/a",
            for: .file(InputList.File(urls: ["http://host/a"])), .file(file)
        ).map { try $0.get() }
        let (plain, listed) = (requests[0], requests[1])
        #expect(plain.destination == .directory("isos"))
        #expect(plain.headers.map(\.name) == ["A"])
        #expect(plain.ifExists == .skip)
        #expect(plain.startsOver)
        #expect(!plain.makesDirectory)
        #expect(listed.destination == .file("isos/b.iso"))
        #expect(listed.headers.map(\.name) == ["A", "B"])
        #expect(listed.mirrors.map(\.description) == ["http://mirror/b"])
        #expect(listed.makesDirectory)
    }

    @Test("several hosts can have the command line's number of connections")
    func segments() throws {
        #expect(try request("-s", "3", "http://host/a").segments == nil)
        let several = try request("-s", "3", "--mirror", "http://mirror/a", "http://host/a")
        #expect(several.segments == .fixed(3))
    }

    @Test("each of several URLs can have its own name")
    func pairs() throws {
        var file = InputList.File(urls: ["http://host/b"])
        file.options.output = "c"
        let request = try request(
            "-d", "isos", "-o", "b", "http://host/a", "-o", "c", "http://host/b", for: file)
        #expect(request.destination == .file("isos/c"))
    }

    @Test("a location in a hub is resolved when its file begins")
    func location() throws {
        let resolver = LocationResolver(environment: ["HF_ENDPOINT": "http://hub"]) { _ in }
        let request = try request("hf://org/model/a", for: InputList.File(urls: ["hf://org/model/a"]))
        #expect(request.source.url == "hf://org/model/a")
        let resolved = RunRequest.success(request).resolved(resolver.resolved)
        #expect(try resolved.get().source.origin.host == "hub")
        let plain = try self.request("http://host/a")
        #expect(try RunRequest.success(plain).resolved(resolver.resolved).get() == plain)
    }

    @Test("an unusable line is reported with its location")
    func wrongLine() throws {
        let bad = InputList.File(urls: ["ftp://host/a"], line: 4)
        let requests = try requests("-i", "list", for: .wrong("it is wrong", line: 3), .file(bad))
        #expect(requests[0].shownURL == "list:3")
        for (request, place) in zip(requests, ["list:3: ", "list:4: "]) {
            guard case .failure(let error) = request else { throw Unexpected() }
            #expect(error.message.hasPrefix(place))
        }
    }

    @Test("of a list are the same when they are made again from its text")
    func again() throws {
        let digest = String(repeating: "0a", count: 32)
        let text = """
            http://host/a
            http://host/b\thttp://mirror/b
              checksum=sha-256=\(digest)
            http://host/c\u{fc} \t
              out=d/c
              header=A: b=c, d
              user-agent=me
              split=3
            hf://org/model/a
            nothing
              out=x
            http://user:secret@host/d#part
            """
        let fetch = try Fetch.parse(["-d", "isos", "-H", "B: 1", "-i", "list", "http://host/z"])
        let entries = InputList.parse(text)
        #expect(entries.count == 6)
        var collector = try fetch.collector()
        for entry in entries { collector.add(entry) }
        let requests = collector.requests
        for (id, entry) in entries.enumerated() {
            let made = requests.request(for: entry, in: "list")
            #expect((try? requests[id].get()) == (try? made.get()), "\(entry)")
            #expect(requests[id].shownURL == made.shownURL)
            let lines = requests.entry(id).map { InputList.text(of: $0, in: "list") }
            #expect(lines == InputList.text(of: entry, in: "list"))
        }
        #expect(requests.failures == [4])
        #expect(collector.sources.map(\.origin.scheme) == ["http", "hf"])
        let piped = requests.with(.descriptor(.standardOutput))
        #expect(piped.count == 6 && piped.failures == [4])
        #expect(try piped[1].get().destination == .descriptor(.standardOutput))
        #expect(piped.entry(1) == requests.entry(1))
    }

    private struct Unexpected: Error {}
}
