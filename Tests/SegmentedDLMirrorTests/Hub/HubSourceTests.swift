import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Repositories of a model hub")
struct HubSourceTests {
    private static let commit = "0123456789abcdef0123456789abcdef01234567"

    private func source(_ text: String, token: String? = nil) throws -> HubSource {
        var environment = ["HF_ENDPOINT": "http://hub:8080/mirror"]
        environment["HF_TOKEN"] = token
        return HubSource(
            try HubLocation(text), try HubSettings(environment: environment) { _ in nil })
    }

    @Test("the token is read from the file that the variables name, and a file that is too long is ignored")
    func tokenFile() throws {
        let directory = try TemporaryDirectory()
        try directory.write("hf_abc\n", to: "token")
        var environment = ["HF_TOKEN_PATH": directory.file("token")]
        #expect(try HubSettings(environment: environment).token == "hf_abc")
        #expect(try HubSettings(environment: environment, sendsToken: false).token == nil)
        try directory.write(String(repeating: "a", count: 65_537), to: "long")
        environment["HF_TOKEN_PATH"] = directory.file("long")
        #expect(try HubSettings(environment: environment).token == nil)
        #expect(try HubSettings(environment: ["HF_HOME": directory.file("missing")]).token == nil)
    }

    // MARK: Pages

    @Test(
        "continue at the hub's link, on the same host",
        arguments: [
            (
                "http://hub:8080/mirror/api/models/o/m/tree/c?cursor=2",
                "http://hub:8080/mirror/api/models/o/m/tree/c?cursor=2"
            ),
            (
                "https://hub.example/api/models/o/m/tree/c?cursor=2",
                "http://hub:8080/mirror/api/models/o/m/tree/c?cursor=2"
            ),
            (
                "https://hub:8080/mirror/api/models/o/m/tree/c?cursor=2",
                "http://hub:8080/mirror/api/models/o/m/tree/c?cursor=2"
            ),
            ("https://hub.example/api/models/o/other/tree/c?cursor=2", nil),
            ("https://hub.example/api/models/o/m/tree/c", nil),
            ("http://hub:8080/mirror/api/models/o/m/tree/c", nil),
            ("https://hub.example/mirror/api/models/o/m/tree/c?cursor=1", nil),
        ] as [(String, String?)])
    func pages(link: String, expected: String?) throws {
        let page = try Source(
            "http://hub:8080/mirror/api/models/o/m/tree/c" + (link.hasSuffix("cursor=1") ? "?cursor=1" : ""))
        let endpoint = try Source("http://hub:8080/mirror")
        #expect(try PageLink.further(Source(link), than: page, of: endpoint)?.url == expected)
    }

    // MARK: Locations

    @Test(
        "are named with a revision and a path",
        arguments: [
            ("hf://org/model", "models", "main", ""), ("hf://org/model/", "models", "main", ""),
            ("HF://org/my.model-1_2@v1/a b/c@d.bin", "models", "v1", "a b/c@d.bin"),
            ("hf://datasets/org/data@refs%2Fpr%2F1/x", "datasets", "refs/pr/1", "x"),
            ("hf://org/model@refs/pr/2", "models", "refs/pr/2", ""),
            ("hf://gpt2@refs/pr/2/a/b", "models", "refs/pr/2", "a/b"),
            ("hf://datasets/org/data@refs/convert/parquet/x", "datasets", "refs/convert/parquet", "x"),
            ("hf://org/model@refs/heads/x", "models", "refs", "heads/x"),
            ("hf://org/model@refs/pr/x", "models", "refs", "pr/x"),
            ("hf://spaces/org/app", "spaces", "main", ""), ("hf://gpt2", "models", "main", ""),
            ("hf://gpt2@v1", "models", "v1", ""), ("hf://gpt2@v1/a/b@c", "models", "v1", "a/b@c"),
        ] as [(String, String, String, String)])
    func locations(text: String, kind: String, revision: String, path: String) throws {
        let location = try HubLocation(text)
        #expect(location.kind.rawValue == kind && location.path == path)
        #expect(location.wantedRevision == revision)
        #expect(try HubLocation(location.description) == location)
    }

    @Test(
        "need an owner unless they are models, a name, and a path that a URL can hold",
        arguments: [
            "hf://", "hf://models", "hf://datasets", "hf://model@", "hf://@v1", "hf://m@v1/../x", "hf://org/",
            "hf://org/@main", "hf://org/model@", "hf://datasets/org",
            "hf://o rg/model", "hf://org/mo?del", "hf://../model", "hf://org/model/../x",
            "hf://org/model@a b", "hf://org/model@refs/pr/1/../x", "hf://org/model@refs/convert/../x",
            "https://host/org/model",
        ])
    func wrong(text: String) {
        let error = #expect(throws: DownloadError.self) { try HubLocation(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test(
        "with a wrong revision are refused because of it",
        arguments: [
            ("hf://org/model@", "is empty"), ("hf://gpt2@", "is empty"), ("hf://org/model@/a", "is empty"),
            ("hf://org/model@a b", "not allowed"), ("hf://org/model@v1@", "not allowed"),
            ("hf://org/@v1", "has no repository"),
        ])
    func wrongRevision(text: String, expected: String) {
        let error = #expect(throws: DownloadError.self) { try HubLocation(text) }
        #expect(error?.message.contains(expected) == true, "\(String(describing: error))")
    }

    @Test("map to the URLs of the API and of files")
    func urls() throws {
        let data = try source("hf://datasets/org/data@refs%2Fpr%2F1/a b#/c.bin")
        #expect(
            try data.file().url
                == "http://hub:8080/mirror/datasets/org/data/resolve/refs%2Fpr%2F1/a%20b%23/c.bin")
        #expect(
            try data.location.revisionURL(on: data.endpoint).url
                == "http://hub:8080/mirror/api/datasets/org/data/revision/refs%2Fpr%2F1")
        let tree = try data.location.treeURL(of: Self.commit, on: data.endpoint)
        #expect(
            tree.url
                == "http://hub:8080/mirror/api/datasets/org/data/tree/\(Self.commit)/a%20b%23/c.bin?recursive=true"
        )
        #expect(data.location.commit(ofPage: tree.url + "&cursor=1", on: data.endpoint) == Self.commit)
        #expect(data.location.commit(ofPage: "http://other/", on: data.endpoint) == nil)
        let error = #expect(throws: DownloadError.self) { try source("hf://org/model").file() }
        #expect(error?.message.contains("is not a file") == true)
        let old = try source("hf://gpt2@v1/a")
        #expect(old.location.repository == "gpt2")
        #expect(try old.file().url == "http://hub:8080/mirror/gpt2/resolve/v1/a")
        #expect(
            try old.location.revisionURL(on: old.endpoint).url
                == "http://hub:8080/mirror/api/models/gpt2/revision/v1")
    }

    // MARK: Settings

    @Test("the token comes from the variable, or from the file that the variables name")
    func token() throws {
        func token(_ environment: [String: String], _ files: [String: String] = [:]) throws -> String? {
            try HubSettings(environment: environment) { files[$0] }.token
        }
        let files = ["/t": "of-path\n", "/h/token": "of-home", "/u/.cache/huggingface/token": "of-user"]
        let all = ["HF_TOKEN": " one ", "HF_TOKEN_PATH": "/t", "HF_HOME": "/h", "HOME": "/u"]
        #expect(try token(all, files) == "one")
        #expect(try token(all.filter { $0.key != "HF_TOKEN" }, files) == "of-path")
        #expect(try token(["HF_TOKEN": "", "HF_HOME": "/h"], files) == "of-home")
        #expect(try token(["HOME": "/u"], files) == "of-user")
        #expect(try token(["HOME": "/none"], files) == nil)
        for (value, isSent) in [
            ("1", false), ("true", false), ("YES", false), ("On", false), ("0", true), ("false", true),
        ] {
            let found = try token(all.merging(["HF_HUB_DISABLE_IMPLICIT_TOKEN": value]) { $1 }, files)
            #expect(found == (isSent ? "one" : nil), "\(value)")
        }
        let home = ["/u/t": "of-path", "/u/h/token": "of-home", "/u/x/huggingface/token": "of-cache"]
        #expect(try token(["HOME": "/u", "HF_TOKEN_PATH": "~/t"], home) == "of-path")
        #expect(try token(["HOME": "/u", "HF_HOME": "~/h"], home) == "of-home")
        #expect(try token(["HOME": "/u", "XDG_CACHE_HOME": "~/x"], home) == "of-cache")
        #expect(try token(["HF_HOME": "~/h"], home) == nil)
        let error = #expect(throws: DownloadError.self) { try token(["HF_TOKEN": "se cret"]) }
        #expect(error?.message.contains("secret") == false && error?.message.contains("se cret") == false)
    }

    @Test("the token is sent only to the hub, and neither printed nor dumped")
    func secrecy() throws {
        let settings = try HubSettings(environment: ["HF_TOKEN": "hf_secret"]) { _ in nil }
        #expect(settings.endpoint.url == "https://huggingface.co/")
        #expect(settings.headers == [HTTPHeader("Authorization", "Bearer hf_secret")])
        var dumped = ""
        dump(settings, to: &dumped)
        #expect(!"\(settings)\(dumped)".contains("secret"))
        let access = try HubSource(HubLocation("hf://org/model"), settings).access(settings)
        #expect(access.origin == settings.endpoint && access.headers == settings.headers)
    }

    // MARK: Pages

    @Test("a page of a tree has files with the digests of large ones, and the IDs of small ones in Git")
    func page() throws {
        let source = try source("hf://org/model/dir")
        let oid = String(repeating: "a", count: 40), sha256 = String(repeating: "b", count: 64)
        let text = """
            [{"type": "directory", "oid": "\(oid)", "size": 0, "path": "dir/sub"},
             {"type": "file", "oid": "\(oid)", "size": 12, "path": "dir/small.json"},
             {"type": "file", "oid": "\(oid)", "size": 99, "path": "dir/a b.bin",
              "lfs": {"oid": "\(sha256)", "size": 99, "pointerSize": 134}, "xetHash": "c"},
             {"type": "file", "oid": "\(oid)", "size": 1, "path": "dir/../up"},
             {"type": "file", "oid": "\(oid)", "size": 1, "path": "other"}]
            """
        let entries = try HubPage.tree(
            Array(text.utf8), of: source.endpoint, in: source, commit: Self.commit
        ).entries
        guard entries.count == 4, case .item(let small) = entries[0], case .item(let large) = entries[1],
            case .unusable = entries[2], case .unusable = entries[3]
        else {
            Issue.record("\(entries)")
            return
        }
        #expect(small.path.text == "small.json" && small.size == 12 && small.etag == "\"\(oid)\"")
        #expect(small.checksums.map(\.description) == ["gitsha1=\(oid)"])
        #expect(large.path.text == "a b.bin" && large.checksums.map(\.hexadecimal) == [sha256])
        #expect(
            large.sources.map(\.url)
                == ["http://hub:8080/mirror/org/model/resolve/\(Self.commit)/dir/a%20b.bin"])
        for garbled in ["{}", "<html>", "", "[{\"type\": 1}]"] {
            #expect(throws: DownloadError.self) {
                try HubPage.tree(
                    Array(garbled.utf8), of: source.endpoint, in: source, commit: Self.commit)
            }
        }
    }

    @Test("an entry that cannot be read does not affect the other entries of its page")
    func unreadable() throws {
        let source = try source("hf://org/model")
        func file(_ name: String, _ size: String) -> String {
            "{\"type\": \"file\", \"path\": \"\(name)\", \"size\": \(size)}"
        }
        for broken in ["null", "7", file("b", "\"12\""), file("\\ud800", "1")] {
            let page = "[\(file("a", "1")), \(broken), \(file("c", "2"))]"
            let tree = try HubPage.tree(
                Array(page.utf8), of: source.endpoint, in: source, commit: Self.commit)
            guard tree.entries.count == 3, case .item(let first) = tree.entries[0],
                case .unusable = tree.entries[1], case .item(let last) = tree.entries[2]
            else {
                Issue.record("\(broken): \(tree.entries)")
                continue
            }
            #expect([first.path.text, last.path.text] == ["a", "c"] && tree.paths == ["a", "c"])
        }
    }

    @Test("the description of a revision has its commit, and the names of its files")
    func revision() throws {
        let place = try Source("http://hub/")
        for (siblings, files) in [
            ("", []), (", \"siblings\": null", []),
            (", \"siblings\": [{\"rfilename\": \"a\"}, null, {}, {\"rfilename\": \"b/c\"}]", ["a", "b/c"]),
        ] {
            let text = "{\"sha\": \"\(Self.commit)\"\(siblings)}"
            #expect(
                try HubPage.revision(Array(text.utf8), of: place)
                    == HubPage.Revision(commit: Self.commit, files: files))
        }
        for garbled in ["{}", "{\"sha\": \"../x\"}", "no"] {
            #expect(throws: DownloadError.self) { try HubPage.revision(Array(garbled.utf8), of: place) }
        }
    }

    // MARK: ModelScope

    private func modelScope(_ text: String, token: String? = nil) throws -> HubSource {
        var environment = ["HF_ENDPOINT": "http://hub:8080", "MODELSCOPE_ENDPOINT": "http://hub:8080/"]
        environment["MODELSCOPE_API_TOKEN"] = token
        return HubSource(
            try HubLocation(text), try HubSettings(environment: environment) { _ in nil })
    }

    @Test("is known by its host, or by the variable of its client, and gets no token of another hub")
    func dialect() throws {
        func settings(_ environment: [String: String]) throws -> HubSettings {
            try HubSettings(environment: environment) { _ in "of-file" }
        }
        let tokens = ["HF_TOKEN": "hf", "MODELSCOPE_API_TOKEN": "ms", "HOME": "/u"]
        for (endpoint, dialect) in [
            ("https://www.modelscope.cn", HubDialect.modelScope), ("https://modelscope.ai/", .modelScope),
            ("https://hf-mirror.example", .huggingFace),
        ] {
            let found = try settings(tokens.merging(["HF_ENDPOINT": endpoint]) { $1 })
            #expect(found.dialect == dialect && found.token == (dialect == .modelScope ? "ms" : "hf"))
        }
        #expect(try settings(["MODELSCOPE_ENDPOINT": "http://h"]).dialect == .huggingFace)
        let anonymous = try settings(["HF_ENDPOINT": "https://modelscope.cn", "HF_TOKEN": "hf", "HOME": "/u"])
        #expect(anonymous.headers.isEmpty)
        let known = try settings(["HF_ENDPOINT": "https://modelscope.cn", "MODELSCOPE_API_TOKEN": "ms"])
        #expect(
            known.headers == [
                HTTPHeader("Authorization", "Bearer ms"), HTTPHeader("Cookie", "m_session_id=ms"),
            ])
    }

    @Test("lists models in one page, and data sets in several")
    func modelScopeURLs() throws {
        let model = try modelScope("hf://org/model/dir/a b")
        #expect(try model.file().url == "http://hub:8080/models/org/model/resolve/master/dir/a%20b")
        #expect(
            try model.location.modelScopeListing(page: 1, revision: "v1", on: model.endpoint).url
                == "http://hub:8080/api/v1/models/org/model/repo/files?Revision=v1&Recursive=True")
        let data = try modelScope("hf://datasets/org/d@v1/x")
        #expect(try data.file().url == "http://hub:8080/datasets/org/d/resolve/v1/x")
        #expect(
            try data.location.modelScopeListing(page: 2, revision: "v1", on: data.endpoint).url
                == "http://hub:8080/api/v1/datasets/org/d/repo/tree?Revision=v1&Recursive=True&PageNumber=2&PageSize=200"
        )
        let space = try modelScope("hf://spaces/org/app/x")
        #expect(try space.file().url == "http://hub:8080/studios/org/app/resolve/master/x")
    }

    @Test("a page of ModelScope has the digests of all files")
    func modelScopePage() throws {
        let source = try modelScope("hf://org/model/dir")
        let digest = String(repeating: "B", count: 64)
        let text = """
            {"Code": 200, "Success": true, "Message": "", "Data": {"Files": [
             {"Path": "dir", "Type": "tree", "Size": 0, "Sha256": ""},
             {"Path": "dir/a b", "Type": "blob", "Size": 9, "Sha256": "\(digest)", "IsLFS": true},
             {"Path": "dir/c", "Type": "blob", "Size": 1, "Sha256": ""},
             {"Path": "dir/../up", "Type": "blob", "Size": 1, "Sha256": ""},
             {"Path": "other", "Type": "blob", "Size": 1, "Sha256": ""}, null]}}
            """
        let page = try ModelScopePage(Array(text.utf8), of: source.endpoint, in: source)
        let entries = page.entries(in: source)
        guard page.count == 6, entries.count == 4, case .item(let first) = entries[0],
            case .item(let second) = entries[1], case .unusable = entries[2], case .unusable = entries[3]
        else {
            Issue.record("\(entries)")
            return
        }
        #expect(first.path.text == "a b" && first.size == 9)
        #expect(first.checksums.map(\.hexadecimal) == [digest.lowercased()])
        #expect(second.checksums.isEmpty)
        for garbled in ["{\"Code\": 10010205001, \"Message\": \"no model\"}", "[]", "<html>", ""] {
            let error = #expect(throws: DownloadError.self) {
                try ModelScopePage(Array(garbled.utf8), of: source.endpoint, in: source)
            }
            #expect(error?.code == .badResponse)
            #expect(error?.message.contains("no model") == garbled.contains("no model"))
        }
    }

    // MARK: Failures

    @Test(
        "name a remedy",
        arguments: [
            (
                401, nil, nil,
                "set HF_TOKEN to a token that can read it (http://hub:8080/mirror/settings/tokens)"
            ),
            (401, "Access to model org/model is restricted.", nil, "http://hub:8080/mirror/org/model"),
            (401, "Invalid credentials", "t", "refuses the token"),
            (403, "not in the authorized list", "t", "Request it in a browser at"),
            (404, "Invalid rev id: v9", nil, "no revision 'v9'"), (404, "Entry not found", nil, "no 'a/b'"),
            (404, "Repository not found", "t", "no such repository, or the token cannot read it"),
            (404, "Repository not found", nil, "no such repository, or it is private"),
            (404, nil, "t", "no such repository, revision or file"),
            (429, nil, nil, "setting a token in HF_TOKEN raises it"),
        ] as [(Int, String?, String?, String)])
    func failures(status: Int, reason: String?, token: String?, expected: String) throws {
        let source = try source("hf://org/model@v9/a/b", token: token)
        var error = DownloadError(.httpStatus, "x", status: status)
        error.reason = reason
        let message = source.explained(error).message
        #expect(message.contains(expected) && message.hasPrefix("hf://org/model@v9/a/b: "), "\(message)")
        if let reason { #expect(message.contains(reason)) }
    }

    @Test(
        "tell by the hub's code, and by the subject of the request, which thing is missing",
        arguments: [
            ("hf://org/model/a", .file, "EntryNotFound", "there is no 'a'"),
            ("hf://org/model/a", .page(1), "EntryNotFound", "no directory 'a' in this revision"),
            ("hf://org/model/a", .page(1), "", "no directory 'a' in this revision"),
            ("hf://org/model", .page(2), "", "page 2 of its listing"),
            ("hf://org/model@v9", .revision, "RevisionNotFound", "no revision 'v9'"),
            ("hf://org/model@a/b", .revision, "RevisionNotFound", "a slash in it is written %2F"),
            ("hf://org/model", .listedFile, "EntryNotFound", "lists the file, but does not have it"),
            ("hf://org/model", .listedFile, "RepoNotFound", "no such repository"),
            ("hf://org/model", .revision, "RepoNotFound", "no such repository, or it is private"),
        ] as [(String, HubSource.Subject, String, String)])
    func missing(location: String, subject: HubSource.Subject, code: String, expected: String) throws {
        let source = try source(location)
        var error = DownloadError(.httpStatus, "x", status: 404)
        error.response = ResponseInfo(
            source: source.endpoint, status: 404,
            headers: code.isEmpty ? [] : [HTTPHeader("x-error-code", code)])
        let message = source.explained(error, of: subject).message
        #expect(message.contains(expected), "\(message)")
    }

    @Test("name a commit that the hub no longer has, and a repository that it has disabled")
    func gone() throws {
        let source = try source("hf://org/model")
        func message(_ subject: HubSource.Subject, _ status: Int, _ code: String, _ path: String) -> String {
            let url = "http://hub:8080/mirror/\(path)"
            var error = DownloadError(.httpStatus, "x", url: url, status: status)
            error.response = ResponseInfo(
                source: source.endpoint, status: status, headers: [HTTPHeader("X-Error-Code", code)])
            return source.explained(error, of: subject).message
        }
        for (subject, path) in [
            (.page(1), "api/models/org/model/tree/\(Self.commit)?recursive=true"),
            (.page(2), "api/models/org/model/tree/\(Self.commit)?cursor=2"),
            (.listedFile, "org/model/resolve/\(Self.commit)/a"),
        ] as [(HubSource.Subject, String)] {
            let text = message(subject, 404, "RevisionNotFound", path)
            #expect(text.contains("no longer has the commit \(Self.commit)"), "\(text)")
        }
        let disabled = message(.revision, 403, "DisabledRepo", "api/models/org/model/revision/main")
        #expect(disabled.contains("has disabled this repository"), "\(disabled)")
    }

    @Test("of a token name the variable or the file that it is from")
    func refusedToken() throws {
        func message(_ environment: [String: String]) throws -> String {
            let settings = try HubSettings(environment: environment) { $0 == "/t" ? "of-file" : nil }
            let error = DownloadError(.httpStatus, "x", status: 401)
            return HubSource(try HubLocation("hf://org/model"), settings).explained(error).message
        }
        let ofFile = try message(["HF_TOKEN_PATH": "/t"])
        #expect(ofFile.contains("the token in '/t'") && ofFile.contains("hf auth login"), "\(ofFile)")
        #expect(ofFile.contains("remove the file") && !ofFile.contains("HF_TOKEN"), "\(ofFile)")
        let older = try message(["HUGGING_FACE_HUB_TOKEN": "t", "HF_TOKEN_PATH": "/t"])
        #expect(older.contains("set HUGGING_FACE_HUB_TOKEN; or unset it"), "\(older)")

        var settings = try HubSettings(environment: ["HF_TOKEN_PATH": "/t"]) { _ in "of-file" }
        settings.token = "of-program"
        #expect(settings.tokenOrigin == nil)
        let wrong = #expect(throws: DownloadError.self) {
            try HubSettings(environment: ["HF_TOKEN_PATH": "/t"]) { _ in "se cret" }
        }
        #expect(wrong?.message.contains("the file '/t'") == true && wrong?.message.contains("cret") == false)
    }

    @Test("name ModelScope's own token and pages")
    func modelScopeFailures() throws {
        var error = DownloadError(.httpStatus, "x", status: 401)
        error.reason = "no"
        let message = try modelScope("hf://org/model").explained(error).message
        #expect(message.contains("MODELSCOPE_API_TOKEN") && message.contains("/my/myaccesstoken"))
        #expect(!message.contains("HF_TOKEN"))
    }

    @Test("of a server that the hub redirects to do not blame the repository", arguments: [403, 404, 410])
    func redirected(status: Int) throws {
        let source = try source("hf://org/model/a")
        var error = DownloadError(.httpStatus, "x", status: status)
        error.response = ResponseInfo(
            source: source.endpoint, finalSource: try Source("http://edge.example/a?signature=x"),
            status: status)
        let message = source.explained(error).message
        #expect(message.contains("the hub has the file") && message.contains("(edge.example)"), "\(message)")
        #expect(!message.contains("signature") && !message.contains("no such"))
    }

    @Test(
        "of the hub itself, or about a listing, are not blamed on another server",
        arguments: [
            ("https://hub/a", HubSource.Subject.file), ("http://www.hub:8080/a", .listedFile),
            ("http://edge.example/api", .revision), ("http://edge.example/api", .page(1)),
        ])
    func redirectedWithin(target: String, subject: HubSource.Subject) throws {
        let source = try source("hf://org/model/a")
        var error = DownloadError(.httpStatus, "x", status: 404)
        error.response = ResponseInfo(source: source.endpoint, finalSource: try Source(target), status: 404)
        let message = source.explained(error, of: subject).message
        #expect(message != "x" && !message.contains("the hub has the file"), "\(message)")
    }

    @Test("of a server that may not be a hub name the variable that sets it")
    func otherServer() throws {
        func message(_ error: DownloadError, _ environment: [String: String]) throws -> String {
            let settings = try HubSettings(environment: environment) { _ in nil }
            let source = HubSource(try HubLocation("hf://org/model"), settings)
            return source.explained(error, of: .revision).message
        }
        let given = ["HF_ENDPOINT": "http://hub"]
        var missing = DownloadError(.httpStatus, "x", status: 404)
        missing.reason = "no such page"
        #expect(try message(missing, given).contains("correct HF_ENDPOINT"))
        #expect(try !message(missing, [:]).contains("HF_ENDPOINT"))
        missing.response = ResponseInfo(
            source: try Source("http://hub/"), status: 404,
            headers: [HTTPHeader("X-Error-Code", "RepoNotFound")])
        #expect(try !message(missing, given).contains("HF_ENDPOINT"))

        let refused = DownloadError(.connectionFailed, "no connection.", url: "http://hub/api/models")
        #expect(
            try message(refused, given)
                == "no connection. The hub's URL is that of HF_ENDPOINT; check it.")
        #expect(try message(refused, [:]) == "no connection.")
        let elsewhere = DownloadError(.connectionFailed, "no connection.", url: "http://store/a")
        #expect(try message(elsewhere, given) == "no connection.")
    }

    @Test("outside the hub are left unchanged")
    func otherFailures() throws {
        let source = try source("hf://org/model")
        for error in [DownloadError(.timedOut, "x"), DownloadError(.httpStatus, "x", status: 500)] {
            #expect(source.explained(error) == error)
        }
    }
}
