import Foundation
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Images in a registry")
struct RegistrySourceTests {
    private static let hex = String(repeating: "a", count: 64)

    private func source(_ text: String, isPlain: Bool? = nil) throws -> RegistrySource {
        try RegistrySource(RegistryLocation(text), isPlain: isPlain)
    }

    // MARK: Locations

    @Test(
        "are named as in other tools",
        arguments: [
            ("oci://docker.io/alpine", "https://registry-1.docker.io/v2/library/alpine/manifests/latest"),
            ("oci://docker.io/a/b:1.0", "https://registry-1.docker.io/v2/a/b/manifests/1.0"),
            ("OCI://Quay.io/org/x_y-z/n", "https://quay.io/v2/org/x_y-z/n/manifests/latest"),
            ("oci://127.evil.example/a", "https://127.evil.example/v2/a/manifests/latest"),
            ("oci://localhost/a", "http://localhost/v2/a/manifests/latest"),
            ("oci://127.0.0.1:5000/a:t", "http://127.0.0.1:5000/v2/a/manifests/t"),
            ("oci://[::1]:5000/a:t", "http://[::1]:5000/v2/a/manifests/t"),
            ("oci://host:5000/a:t", "https://host:5000/v2/a/manifests/t"),
            ("oci://ghcr.io/a@sha256:\(hex)", "https://ghcr.io/v2/a/manifests/sha256:\(hex)"),
            ("oci://ghcr.io/a:t@sha256:\(hex)", "https://ghcr.io/v2/a/manifests/sha256:\(hex)"),
        ])
    func locations(text: String, expected: String) throws {
        let source = try source(text)
        let location = source.location
        #expect(try location.manifestURL(location.reference, on: source.endpoint).url == expected)
        #expect(try RegistryLocation(location.description) == location)
    }

    @Test(
        "require a registry, a name in lower case, and a valid tag or digest",
        arguments: [
            "oci://", "oci://h.io:/a", "oci://h.io:x/a", "oci://h.io:0/a", "oci://h.io:1:2/a", "oci://[::1/a",
            "oci://alpine", "oci://alpine:3", "oci://host/a", "oci://h.io/", "oci://h.io/A",
            "oci://h.io/a:",
            "oci://h.io/a:.x", "oci://h.io/a@", "oci://h.io/a@sha256:1", "oci://h.io/a@md5:\(hex)",
            "oci://h.io/a//b",
            "oci://u:p@h.io/a", "oci://h.io/../a", "oci://h.io/a?b", "https://h.io/a", "oci://h.io/-a",
        ])
    func wrong(text: String) {
        let error = #expect(throws: DownloadError.self) { try RegistryLocation(text) }
        #expect(error?.code == .invalidURL)
    }

    @Test("are accessed without TLS on this machine, or on request")
    func plain() throws {
        #expect(try source("oci://h.io/a", isPlain: true).endpoint.url == "http://h.io/")
        #expect(try source("oci://localhost:1/a", isPlain: false).endpoint.url == "https://localhost:1/")
    }

    // MARK: Manifests

    private func manifest(_ text: String) throws -> ImageManifest {
        try JSONDecoder().decode(ImageManifest.self, from: Data(text.utf8))
    }

    @Test("of several platforms contain the requested one")
    func platforms() throws {
        let lines = [
            ("linux", "amd64", nil), ("linux", "arm", "v6"), ("linux", "arm", "v7"),
            ("unknown", "unknown", nil),
        ]
        .enumerated().map { number, platform in
            let variant = platform.2.map { ", \"variant\": \"\($0)\"" } ?? ""
            return
                "{\"mediaType\": \"m\", \"digest\": \"\(number)\", \"size\": 1, \"platform\": {\"os\": \"\(platform.0)\", \"architecture\": \"\(platform.1)\"\(variant)}}"
        }
        let index = try manifest("{\"manifests\": [\(lines.joined(separator: ", "))]}")
        func digest(_ text: String) throws -> String? { try index.manifest(for: ImagePlatform(text))?.digest }
        #expect(
            try digest("linux/amd64") == "0" && digest("linux/arm") == "1" && digest("linux/arm/v7") == "2")
        #expect(try digest("linux/arm/v8") == nil && digest("windows/amd64") == nil)
        #expect(index.platforms == ["linux/amd64", "linux/arm/v6", "linux/arm/v7"])
        #expect(index.type == ImageManifest.types[0])
        for wrong in ["", "linux", "linux/", "a/b/c/d"] {
            #expect(throws: DownloadError.self) { try ImagePlatform(wrong) }
        }
    }

    @Test("without a type have that of their members; others are refused")
    func types() throws {
        let config = "{\"mediaType\": \"c\", \"digest\": \"d\", \"size\": 1}"
        #expect(try manifest("{\"config\": \(config), \"layers\": []}").type == ImageManifest.types[1])
        #expect(try !manifest("{}").isReadable && !manifest("{\"schemaVersion\": 1}").isReadable)
        let source = try source("oci://h.io/a")
        let first = source.unreadable(source.endpoint, Array("{\"schemaVersion\": 1}".utf8))
        #expect(first.message.contains("schema version 1"))
        #expect(source.unreadable(source.endpoint, []).message.contains("is not a manifest"))
    }

    // MARK: Tokens

    @Test(
        "tokens are requested as the challenge says, and never over a weaker connection than the registry's")
    func tokens() throws {
        func challenge(_ text: String) throws -> AuthenticationChallenge {
            try #require(AuthenticationChallenge.parse(text).first)
        }
        let source = try source("oci://h.io/a/b")
        let full = try challenge(
            "Bearer realm=\"https://t.io/x?y=1\",service=\"a b\",scope=\"repository:a/b:pull\"")
        let service = try RegistryTokens.service(of: full, for: source)
        #expect(
            try RegistryTokens.url(service, full, for: source).url
                == "https://t.io/x?y=1&service=a%20b&scope=repository%3Aa%2Fb%3Apull")
        let short = try challenge("Bearer realm=\"https://t.io/x\"")
        #expect(
            try RegistryTokens.url(RegistryTokens.service(of: short, for: source), short, for: source).url
                == "https://t.io/x?scope=repository%3Aa%2Fb%3Apull")
        #expect(
            RegistryTokens.form(of: full, RegistryLogin(identityToken: "a&b"), for: source)
                == "grant_type=refresh_token&service=a%20b&client_id=segdl&scope=repository%3Aa%2Fb%3Apull&refresh_token=a%26b"
        )
        for realm in ["http://t.io/x", "ftp://t.io", ""] {
            let weak = try challenge("Bearer realm=\"\(realm)\"")
            if realm.isEmpty { continue }
            #expect(throws: DownloadError.self) { try RegistryTokens.service(of: weak, for: source) }
        }
        let plain = try self.source("oci://localhost/a")
        #expect(
            try RegistryTokens.service(of: challenge("Bearer realm=\"http://t.io/x\""), for: plain).url
                == "http://t.io/x")
    }

    // MARK: Logins

    @Test(
        "logins are those of the registry, or of the longest matching name",
        arguments: [
            ("oci://quay.io/a", "quay"), ("oci://quay.io/org/a", "quay/org"),
            ("oci://quay.io/organ/a", "quay"),
            ("oci://docker.io/a", "hub"), ("oci://h.io:5000/a", "port"), ("oci://h.io/a", nil),
            ("oci://acr.io/a", ""),
            ("oci://empty.io/a", nil), ("oci://plain.io/a", "plain"), ("oci://both.io/a", "both"),
            ("oci://half.io/a", nil),
        ] as [(String, String?)])
    func logins(text: String, user: String?) throws {
        func auth(_ user: String) -> String { Data("\(user):p:w\0".utf8).base64EncodedString() }
        let logins = try RegistryLogins(
            """
            {"auths": {"quay.io": {"auth": "\(auth("quay"))"}, "quay.io/org": {"auth": "\(auth("quay/org"))"},
            "https://index.docker.io/v1/": {"auth": "\(auth("hub"))", "email": "x"}, "bad.io": {"auth": "!"}, "bad2.io": {"auth": "dQ=="},
            "http://h.io:5000/v2/": {"auth": "\(auth("port"))"}, "empty.io": {},
            "plain.io": {"username": "plain", "password": "p:w"}, "half.io": {"username": "half"},
            "both.io": {"username": "other", "password": "x", "auth": "\(auth("both"))"},
            "acr.io": {"auth": "\(auth("0"))", "identitytoken": "t"}}, "HttpHeaders": {}}
            """, name: "config.json")
        let expected =
            user.map {
                $0.isEmpty ? RegistryLogin(identityToken: "t") : RegistryLogin(user: $0, password: "p:w")
            }
        #expect(try logins.entry(for: RegistryLocation(text)) == expected.map { .login($0) })
    }

    @Test("unreadable logins are an error that reveals nothing", arguments: ["!", "dQ==", "OnA="])
    func unreadable(auth: String) throws {
        let logins = try RegistryLogins("{\"auths\": {\"h.io\": {\"auth\": \"\(auth)\"}}}", name: "x")
        let location = try RegistryLocation("oci://h.io/a")
        let error = #expect(throws: DownloadError.self) { try logins.entry(for: location) }
        #expect(error?.message.contains("'h.io'") == true && error?.message.contains(auth) == false)
    }

    @Test("a login in a location is refused and hidden")
    func shown() {
        for text in ["oci://u:hidden@h.io/a", "hf://u:hidden@org/model", "hf://hf_hidden@org/model"] {
            let error = #expect(throws: DownloadError.self) {
                _ =
                    text.hasPrefix("oci")
                    ? try RegistryLocation(text).repository : try HubLocation(text).repository
            }
            #expect(error?.message.contains("hidden") == false && error?.remedy == .login)
        }
    }

    @Test("helpers of one registry take precedence over stored logins, and these over a default store")
    func helpers() throws {
        let auth = Data("u:p".utf8).base64EncodedString()
        let logins = try RegistryLogins(
            """
            {"auths": {"a.io": {"auth": "\(auth)"}, "b.io": {"auth": "\(auth)"}, "c.io": {}},
            "credHelpers": {"a.io": "one"}, "credsStore": "all"}
            """, name: "config.json")
        func entry(_ host: String) throws -> RegistryLogins.Entry? {
            try logins.entry(for: RegistryLocation("oci://\(host)/x"))
        }
        #expect(try entry("a.io") == .helper(name: "one", server: "a.io"))
        #expect(try entry("b.io") == .login(RegistryLogin(user: "u", password: "p")))
        #expect(try entry("c.io") == .helper(name: "all", server: "c.io"))
        #expect(try entry("docker.io") == .helper(name: "all", server: "https://index.docker.io/v1/"))
        #expect(throws: DownloadError.self) { try RegistryLogins("[]", name: "config.json") }
        #expect(
            RegistryLogins.login(printedBy: Array("{\"Username\":\"<token>\",\"Secret\":\"s\"}".utf8))
                == RegistryLogin(identityToken: "s"))
        #expect(
            RegistryLogins.login(printedBy: Array("credentials not found in native keychain\n".utf8)) == nil)
        var dumped = "\(RegistryLogin(user: "u", password: "secret"))"
        dump(RegistryLogin(identityToken: "secret"), to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    // MARK: Failures

    @Test(
        "failures name a remedy",
        arguments: [
            (401, nil, "access to it is restricted"), (403, nil, "access to it is restricted"),
            (401, true, "refuses the login"), (404, nil, "no such repository, tag or digest"),
            (429, nil, "quota"),
            (500, nil, "as before"),
        ] as [(Int, Bool?, String)])
    func failures(status: Int, hasLogin: Bool?, expected: String) throws {
        let error = DownloadError(.httpStatus, "as before", status: status)
        let explained = try source("oci://h.io/a").explained(error, hasLogin: hasLogin)
        #expect(explained.message.contains(expected) && explained.status == status)
    }

    @Test(
        "the command that lists the tags fits a registry with or without TLS",
        arguments: [
            ("oci://h.io/org/a", "skopeo list-tags docker://h.io/org/a lists"),
            ("oci://localhost:1/a", "skopeo list-tags --tls-verify=false docker://localhost:1/a lists"),
        ])
    func tags(text: String, expected: String) throws {
        let error = DownloadError(.httpStatus, "as before", status: 404)
        let message = try source(text).explained(error).message
        #expect(message.contains(expected), "\(message)")
    }

    @Test("a missing file of a listed image makes it incomplete")
    func missingFile() throws {
        let error = DownloadError(.httpStatus, "as before", status: 404)
        let message = try source("oci://h.io/a").explained(error, isListed: true).message
        #expect(message.contains("the image is incomplete"))
    }
}
