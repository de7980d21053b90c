import Testing

@testable import SegmentedDLServer

@Suite struct NewDownloadTests {
    @Test("members become the options of aria2 that the daemon keeps")
    func options() throws {
        let download = try NewDownload([
            "url": "http://h/a", "mirrors": ["http://m/a"], "directory": "/d", "name": "b",
            "segments": .integer(4), "paused": .bool(true), "ifExists": "replace", "headers": ["A: b"],
            "bytesPerSecond": .null, "expectedTypes": ["image/*"],
        ])
        #expect(download.expectedTypes == ["image/*"])
        #expect(download.urls == ["http://h/a", "http://m/a"])
        #expect(
            download.options == [
                "dir": ["/d"], "out": ["b"], "split": ["4"], "pause": ["true"], "allow-overwrite": ["true"],
                "header": ["A: b"],
            ])
    }

    @Test("a SHA-256 alone is one, and other texts stay as they are")
    func checksums() throws {
        let digest = String(repeating: "0f", count: 32)
        for (given, kept) in [
            (digest, "sha256=" + digest), ("sha-256=" + digest, "sha256=" + digest), ("nonsense", "nonsense"),
        ] {
            let download = try NewDownload(["url": "http://h/a", "checksum": .string(given)])
            #expect(download.options["checksum"] == [kept])
        }
    }

    @Test(
        "members of another type, and unknown ones, are refused by name",
        arguments: [
            (["url": .integer(1)], "url"), (["url": "http://h/a", "paused": "true"], "paused"),
            (["url": "http://h/a", "segments": "4"], "segments"),
            (["url": "http://h/a", "segments": .integer(0)], "segments"),
            (["url": "http://h/a", "headers": "A: b"], "headers"),
            (["url": "http://h/a", "name": "a\nb"], "name"),
            (["url": "http://h/a", "expectedTypes": "image/*"], "expectedTypes"),
            (["url": "http://h/a", "ifExists": "maybe"], "ifExists"),
            (["url": "http://h/a", "dir": "/d"], "dir"), ("http://h/a", "url"),
        ] as [(JSONValue, String)])
    func wrong(value: JSONValue, name: String) throws {
        let error = try #require(throws: InterfaceError.self) { try NewDownload(value) }
        #expect(error.status == 400)
        #expect(error.message.contains("'\(name)'"))
    }

    @Test(
        "the origin of a digest is one of three",
        arguments: [("request", nil), ("list", .list), ("metalink", .metalink)]
            as [(String, ChecksumOrigin?)])
    func origins(text: String, origin: ChecksumOrigin?) throws {
        let download = try NewDownload(["url": "http://h/a", "checksumFrom": .string(text)])
        #expect(download.checksumOrigin == origin)
        #expect(download.options == [:])
    }

    @Test("another origin is refused")
    func unknown() {
        #expect(throws: InterfaceError.self) {
            try NewDownload(["url": "http://h/a", "checksumFrom": "rumour"])
        }
    }
}
