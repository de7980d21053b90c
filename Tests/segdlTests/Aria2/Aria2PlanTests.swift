import SegmentedDL
import SegmentedDLOptions
import SystemPackage
import Testing

@testable import segdl

@Suite("The meaning of aria2's command line")
struct Aria2PlanTests {
    private func plan(_ arguments: [String], list text: String? = nil) throws -> Aria2Plan {
        let arguments = try Aria2Arguments(arguments)
        var values = Aria2Values()
        for given in arguments.options { try values.set(given.option, given.value, home: nil) }
        let list = try text.map { try Aria2List($0, home: nil) }
        return try Aria2Plan(values, uris: arguments.uris, list: list)
    }

    @Test("URIs of the command line are sources of one file")
    func mirrors() throws {
        let plan = try plan(["-o", "f", "-d", "/d", "http://a/x", "https://b/y"])
        #expect(plan.downloads.map(\.uris) == [["http://a/x", "https://b/y"]])
        let request = try plan.downloads[0].request()
        #expect(request.source.url == "http://a/x")
        #expect(request.mirrors.map(\.url) == ["https://b/y"])
        #expect(request.destination == .file("/d/f"))
    }

    @Test("with -Z each URI is a file, and none has the name of --out")
    func sequential() throws {
        let plan = try plan(["-Z", "-o", "f", "-d", "/d", "http://a/x", "http://a/y"])
        #expect(plan.downloads.map(\.uris) == [["http://a/x"], ["http://a/y"]])
        #expect(try plan.downloads[0].request().destination == .directory("/d"))
        #expect(plan.downloads[0].gid != plan.downloads[1].gid)
    }

    @Test("a list has sources separated by tabs, and its own options")
    func list() throws {
        let text = """
            # a comment
            http://a/x\thttp://b/x
              out=one
            \tdir=/one
              header=A: b
              nosuch=1
            http://a/y
             split=2

            """
        let plan = try plan(["-d", "/d", "-x4", "-s8", "-i", "-", "http://other/"], list: text)
        #expect(plan.downloads.map(\.uris) == [["http://a/x", "http://b/x"], ["http://a/y"]])
        let requests = try plan.downloads.map { try $0.request() }
        #expect(requests.map(\.destination) == [.file("/one/one"), .directory("/d")])
        #expect(requests[0].headers == [HTTPHeader("A", "b")])
        #expect(requests[1].headers.isEmpty)
        #expect(requests.map(\.segments) == [.fixed(8), .fixed(2)])
        #expect(plan.remarks == [Aria2Remark(level: .warn, text: "Unknown option: nosuch=1")])
    }

    @Test("lines that are not URIs are skipped with a message, but not arguments")
    func garbage() throws {
        let plan = try plan([], list: " out=q\ngarbage\nhttp://a/x")
        #expect(plan.downloads.map(\.uris) == [["http://a/x"]])
        #expect(plan.remarks.map(\.level) == [.error, .error])
        #expect(
            throws: Aria2Failure(
                message: "Unrecognized URI or unsupported protocol: nonsense", status: 1)
        ) { try self.plan(["http://a/x", "nonsense"]) }
    }

    @Test(
        "lines with a URL that cannot be used are files that fail, as in aria2",
        arguments: [
            "\"http://a/x\"", "url=http://a/x", "- http://a/x", "<http://a/x>", "HTP://a/x",
        ])
    func unusable(line: String) throws {
        let plan = try plan([], list: "\(line)\nhttp://a/y\n")
        #expect(plan.downloads.map(\.uris) == [[line], ["http://a/y"]])
        #expect(plan.remarks.isEmpty)
        let error = try #require(throws: DownloadError.self) { try plan.downloads[0].request() }
        #expect(Aria2Status.of(error) == 1)
    }

    @Test("a password in a URL that cannot be used is not shown", arguments: ["\"http://", "ftp://"])
    func password(start: String) throws {
        let plan = try plan(["\(start)me:secret@host/x?sig=secret"])
        #expect(!plan.downloads[0].shownURI.contains("secret"))
    }

    @Test("a file of a list with its own proxy is not fetched over another one")
    func proxy() throws {
        let plan = try plan([], list: "http://a/x\n all-proxy=http://p:1")
        #expect(throws: DownloadError.self) { try plan.downloads[0].request() }
    }

    @Test("unknown protocols are an error of the file")
    func protocols() throws {
        let plan = try plan(["-Z", "ftp://a/x", "magnet:?xt=urn:btih:0"])
        for download in plan.downloads {
            #expect(throws: DownloadError.self) { try download.request() }
        }
        #expect(try self.plan(["ftp://a/x", "http://b/x"]).downloads[0].request().source.url == "http://b/x")
    }

    @Test("patterns expand to several URIs with -P")
    func patterns() throws {
        #expect(
            try plan(["-P", "-Z", "http://h/[08-10].{a,b}"]).downloads.flatMap(\.uris) == [
                "http://h/08.a", "http://h/08.b", "http://h/09.a", "http://h/09.b", "http://h/10.a",
                "http://h/10.b",
            ])
        #expect(try Aria2URIPattern.expand("http://h/[1-5:2][a-c]x").count == 9)
        #expect(try Aria2URIPattern.expand("http://h/[1-5:2]") == ["http://h/1", "http://h/3", "http://h/5"])
        #expect(try plan(["http://h/[1-2]"]).downloads[0].uris == ["http://h/[1-2]"])
        for wrong in ["http://h/[1-2", "http://h/{}", "http://h/[2-1]", "http://h/[a-Z]", "[0-999999][0-9]"] {
            #expect(throws: Aria2Failure.self, "\(wrong)") { try Aria2URIPattern.expand(wrong) }
        }
    }

    @Test(
        "an existing name is another file's, unless an option allows more",
        arguments: [
            ([], .rename), (["-c"], .rename), (["--auto-file-renaming=false"], .fail),
            (["--allow-overwrite"], .replace), (["--conditional-get", "--allow-overwrite"], .update),
        ] as [([String], ExistingFilePolicy)])
    func existing(_ options: [String], _ policy: ExistingFilePolicy) throws {
        let request = try plan(options + ["http://a/x"]).downloads[0].request()
        #expect(request.ifExists == policy)
        #expect(request.takesOver == (options == ["-c"]))
        #expect(!request.startsOver)
    }

    @Test("options of one file reach its request")
    func request() throws {
        let digest = String(repeating: "0", count: 64)
        let request = try plan([
            "--header=Accept-Encoding: gzip", "--header=X: y", "--referer=*", "-U", "agent",
            "--http-user=me", "--http-passwd=pw", "--max-download-limit=1K", "--checksum=sha-256=\(digest)",
            "--remote-time", "--remove-control-file", "--allow-overwrite", "--http-no-cache", "http://a/x",
        ]).downloads[0].request()
        #expect(
            request.headers == [
                HTTPHeader("X", "y"), HTTPHeader("Referer", "http://a/x"), HTTPHeader("User-Agent", "agent"),
                HTTPHeader("Cache-Control", "no-cache"), HTTPHeader("Pragma", "no-cache"),
            ])
        #expect(request.credentials == Credentials(user: "me", password: "pw"))
        #expect(request.rate == 1024)
        #expect(request.checksums.map(\.description) == ["sha256=\(digest)"])
        #expect(request.keepsRemoteDate && request.startsOver && request.makesDirectory)
        #expect(try !plan(["http://a/x"]).downloads[0].request().keepsRemoteDate)
    }

    @Test("options of the run reach the settings, and each request fits them")
    func settings() throws {
        let settings = try plan([
            "-x4", "-s8", "-j3", "-k2M", "--max-overall-download-limit=1M", "-t", "9", "-m3",
            "--retry-wait=7",
            "--connect-timeout=5", "--check-certificate=false", "--disable-ipv6", "-n", "-Z", "http://a/x",
            "http://a/y",
        ]).configuration
        #expect(settings.limits.activeFiles == .fixed(3))
        // Two files with eight connections each, at most four of them per host.
        #expect(settings.limits.connections == 16)
        #expect(settings.limits.connectionsPerHost == 8)
        #expect(settings.limits.rate == 1 << 20)
        #expect(settings.minimumSegmentSize == 2 << 20)
        #expect(settings.retry.retries == 2)
        #expect(settings.retry.delay == .seconds(7))
        #expect(settings.transport.lowSpeedTime == .seconds(9))
        #expect(settings.transport.connectTimeout == .seconds(5))
        #expect(!settings.transport.verifiesTLS && !settings.transport.usesNetrc)
        #expect(settings.transport.addressFamily == .ipv4)
        try settings.validate()
        for options in [[], ["-x16", "-s16", "-j100"], ["-s1", "-x16"], ["-s999999", "-x1", "-j999999"]] {
            let plan = try plan(options + ["http://a/x", "https://b/x"])
            try plan.configuration.validate()
            for download in plan.downloads { try download.request().validate() }
        }
    }

    @Test("proxies come from the arguments, then the environment, then the configuration file")
    func proxies() throws {
        var command = Aria2Values()
        var file = Aria2Values()
        try command.set(Aria2Options.long("http-proxy"), "h:1", home: nil)
        try command.set(Aria2Options.long("http-proxy-user"), "m@e", home: nil)
        try file.set(Aria2Options.long("all-proxy"), "http://f:1", home: nil)
        try file.set(Aria2Options.long("no-proxy"), "a,b", home: nil)
        let environment = ["all_proxy": "http://e:1", "http_proxy": "http://e:2"]
        let variables = Aria2Proxies.variables(command: command, configuration: file) { environment[$0] }
        #expect(
            variables == [
                "http_proxy": "http://m%40e:@h:1", "all_proxy": "http://e:1", "no_proxy": "a,b",
            ])
    }

    @Test("the configuration file has comments, unknown options and errors with its name")
    func configuration() throws {
        let content = try Aria2ConfigurationFile.parse(
            "# c\nsplit=3\n nosuch=4\ndir = ${HOME}/d\n", path: "p", home: "/h")
        #expect(content.values.number("split") == 3)
        #expect(content.values.text("dir") == "/h/d")
        #expect(content.unknown == ["nosuch=4"])
        do {
            _ = try Aria2ConfigurationFile.parse("max-tries=abc", path: "p", home: nil)
            Issue.record("a wrong value is accepted")
        } catch {
            #expect(error.status == 28)
            #expect(error.message.hasPrefix("Parse error in p\n"))
        }
    }
}
