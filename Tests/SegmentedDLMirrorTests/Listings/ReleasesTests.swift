import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror
@testable import TestSupport

@Suite("Releases on GitHub")
struct ReleasesTests {
    private func source(_ url: String, token: String? = nil) throws -> ReleasesSource? {
        var environment: [String: String] = [:]
        environment["GITHUB_TOKEN"] = token
        return ReleasesSource(try Source(url), try ReleasesSettings(environment: environment))
    }

    @Test(
        "have the URLs of the API",
        arguments: [
            ("releases", "releases?per_page=100"), ("releases/", "releases?per_page=100"),
            ("releases/latest", "releases/latest"), ("releases/tag/v1/a%20b", "releases/tags/v1/a%20b"),
        ])
    func pages(url: String, page: String) throws {
        let found = try #require(try source("https://github.com/o/r/\(url)"))
        #expect(found.repository == "o/r")
        #expect(try found.firstPage().url == "https://api.github.com/repos/o/r/\(page)")
    }

    @Test("have a token without the line end of the program that printed it")
    func lineEnd() throws {
        for (text, token) in [("ghp_S\n", "ghp_S"), (" ghp_S\r\n", "ghp_S"), ("\n", nil)] {
            #expect(try ReleasesSettings(environment: ["GITHUB_TOKEN": text]).token == token)
        }
        #expect(throws: DownloadError.self) {
            try ReleasesSettings(environment: ["GITHUB_TOKEN": "ghp S\n"])
        }
    }

    @Test(
        "are not recognized at other URLs",
        arguments: [
            "https://github.com/o/r", "https://github.com/o/r/releases/download/v1/a",
            "https://github.com/o/r/releases/tag",
            "https://github.com/o/r/tags", "https://github.com.example/o/r/releases",
            "http://github.com/o/r/releases",
        ])
    func others(url: String) throws {
        #expect(try source(url) == nil)
    }

    @Test("a page contains the files of releases, not of drafts, with their digests")
    func page() throws {
        let sha256 = String(repeating: "b", count: 64)
        func asset(_ name: String, _ digest: String) -> String {
            "{\"name\": \"\(name)\", \"size\": 3, \"digest\": \(digest), \"browser_download_url\": \"https://github.com/x/\(name)\"}"
        }
        let release = """
            {"tag_name": "v1", "draft": false, "assets": [\(asset("a", "\"sha256:\(sha256)\"")), \(asset("old", "null")),
            \(asset("..", "null"))]}
            """
        let draft = "{\"tag_name\": \"v2\", \"draft\": true, \"assets\": [\(asset("c", "null"))]}"
        let all = try #require(try source("https://github.com/o/r/releases"))
        let one = try #require(try source("https://github.com/o/r/releases/latest"))
        for (source, text, prefix) in [(all, "[\(release), \(draft)]", "v1/"), (one, release, "")] {
            let entries = try ReleasePage.entries(Array(text.utf8), of: source.api, in: source)
            guard entries.count == 3, case .item(let new) = entries[0], case .item(let old) = entries[1],
                case .unusable = entries[2]
            else {
                Issue.record("\(entries)")
                return
            }
            #expect(new.path.text == "\(prefix)a" && new.size == 3)
            #expect(new.checksums.map(\.hexadecimal) == [sha256] && old.checksums.isEmpty)
            for garbled in ["{}", "<html>", source == all ? release : "[]"] {
                #expect(throws: DownloadError.self) {
                    try ReleasePage.entries(Array(garbled.utf8), of: source.api, in: source)
                }
            }
        }
    }

    @Test("the token is sent only to the API, and neither printed nor dumped; failures name a remedy")
    func token() throws {
        let settings = try ReleasesSettings(environment: ["GH_TOKEN": "secret"])
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)\(dumped)".contains("secret"))
        #expect(settings.headers == [HTTPHeader("Authorization", "Bearer secret")])
        #expect(throws: DownloadError.self) { try ReleasesSettings(environment: ["GH_TOKEN": "t\nX: y"]) }
        let anonymous = try #require(try source("https://github.com/o/r/releases"))
        for (status, words) in [
            (401, "token was refused"), (403, "set GITHUB_TOKEN"), (404, "or it is private"),
        ] {
            let message = anonymous.explained(DownloadError(.httpStatus, "x", status: status)).message
            #expect(message.contains(words), "\(message)")
        }
        for status in [403, 429] {
            var error = DownloadError(.httpStatus, "x", status: status)
            error.reason = "You have exceeded a secondary rate limit. Please wait a few minutes."
            let message = anonymous.explained(error).message
            #expect(message.contains("in 60 s, with fewer downloads") && !message.contains("GITHUB_TOKEN"))
        }
    }

    @Test("the files of a private repository come from the API, and those of a public one do not")
    func privateFiles() throws {
        let releases = try #require(try source("https://github.com/o/r/releases/latest", token: "t"))
        let api = "https://api.github.com/repos/o/r/releases/assets/7"
        let text = Self.release([("a", "\"\(api)\""), ("b", "\"https://other.example/7\""), ("c", "null")])
        let web = ["a", "b", "c"].map { "https://github.com/x/\($0)" }
        let ways: [(byAPI: Bool, urls: [String])] = [(false, web), (true, [api, web[1], web[2]])]
        for (byAPI, urls) in ways {
            let entries = try ReleasePage.entries(
                Array(text.utf8), of: releases.api, in: releases, byAPI: byAPI)
            var items: [MirrorItem] = []
            for case .item(let item) in entries { items.append(item) }
            #expect(items.flatMap(\.sources).map(\.url) == urls)
            let accepted = items.map { $0.headers.map(\.value) }
            #expect(accepted == urls.map { $0 == api ? ["application/octet-stream"] : [] })
        }
        for (text, isPublic) in [
            (#"{"private": false}"#, true), (#"{"private": true}"#, false), ("{}", false), ("[]", false),
        ] {
            #expect(ReleasePage.isPublic(Array(text.utf8)) == isPublic)
        }
    }

    /// - Parameter assets: The names, and the URLs in the API as JSON.
    private static func release(_ assets: [(name: String, url: String)]) -> String {
        let assets = assets.map { name, url in
            "{\"name\": \"\(name)\", \"size\": 3, \"url\": \(url), \"browser_download_url\": \"https://github.com/x/\(name)\"}"
        }
        return "{\"tag_name\": \"v1\", \"assets\": [\(assets.joined(separator: ", "))]}"
    }

    @Test("with a token, one request tells whether the repository is private", arguments: [true, false, nil])
    func visibility(isPrivate: Bool?) async throws {
        let releases = try #require(try source("https://github.com/o/r/releases/latest", token: "t"))
        let asset = "https://api.github.com/repos/o/r/releases/assets/7"
        let engine = MemoryEngine { request, _ in
            let isPage = request.url.hasSuffix("/releases/latest")
            guard isPage || isPrivate != nil else { return .init(head: ResponseHead(status: 404)) }
            let page = Self.release([("a", "\"\(asset)\"")])
            return .honest(
                Array((isPage ? page : "{\"private\": \(isPrivate ?? true)}").utf8), request.range)
        }
        let downloader = Downloader(configuration: Configuration(), engine: engine)
        var urls: [String] = []
        for try await entry in downloader.entries(of: .releases(releases)) {
            if case .item(let item) = entry { urls += item.sources.map(\.url) }
        }
        #expect(urls == [isPrivate == false ? "https://github.com/x/a" : asset])
        let repository = "https://api.github.com/repos/o/r"
        #expect(engine.requests.map(\.url) == [repository + "/releases/latest", repository])
    }

    @Test(
        "an exhausted quota is reported with the time of its end",
        arguments: [(50.2, "51 s"), (2950, "50 minutes")] as [(Double, String)])
    func quota(seconds: Double, time: String) throws {
        let releases = try #require(try source("https://github.com/o/r/releases"))
        for status in [403, 429] {
            let failure = TransferFailure.busy(status: RefusedStatus(status), retryAfter: seconds)
            let error = failure.error(for: releases.api, file: "x")
            #expect(error.message.hasSuffix("; try again in \(Int(seconds.rounded(.up))) s."))
            let message = releases.explained(error, after: failure.requestedDelay).message
            #expect(message.contains("exhausted. Try again in \(time), or set GITHUB_TOKEN"), "\(message)")
        }
    }
}
