import TestSupport
import Testing

@Suite("Headers that several options of segdl fetch set")
struct ReplacedHeaderTests {
    /// Fetches a file, and returns the header fields of its request.
    private func sent(_ options: [String], list: String? = nil) async throws -> [String: String] {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("127.0.0.1\tFALSE\t/\tFALSE\t0\ta\t1\n", to: "jar")
        let url = server.url("plain", 100, name: "f")
        try directory.write("\(url)\n\(list ?? "")\n", to: "list")
        let result = try await Segdl.run(
            ["-q"] + options + (list == nil ? [url] : ["-i", "list"]), in: directory)
        #expect(result.status == 0, "\(result)")
        var fields = try #require(try await server.requests().first?.headers)
        if fields["referer"] == url { fields["referer"] = "URL" }
        return fields
    }

    @Test("are one Cookie field, with the cookies of a file first")
    func cookies() async throws {
        let both = try await sent(["-b", "jar", "-b", "b=2", "-b", "c=3"])
        #expect(both["cookie"] == "a=1; b=2; c=3")
        #expect(try await sent(["-b", "jar"])["cookie"] == "a=1")
        #expect(try await sent(["-b", "b=2", "-H", "Cookie: d=4"])["cookie"] == "d=4")
    }

    @Test("are those that are given as such")
    func replaced() async throws {
        #expect(try await sent(["-e", "http://r/", "-H", "Referer: http://s/"])["referer"] == "http://s/")
        #expect(try await sent(["-e", "http://r/", "-H", "Referer:"])["referer"] == nil)
        #expect(try await sent(["--bearer", "t", "-H", "Authorization: u"])["authorization"] == "u")
        #expect(try await sent(["-u", "a:b", "-H", "Authorization: u"])["authorization"] == "u")
    }

    @Test("are those of the list, in which * is the URL as referer")
    func listed() async throws {
        #expect(try await sent(["-e", "http://r/"], list: " referer=http://s/")["referer"] == "http://s/")
        #expect(try await sent(["-H", "Referer: http://r/"], list: " referer=*")["referer"] == "URL")
        #expect(try await sent(["--referer=*"])["referer"] == "URL")
    }
}
