import Testing

@testable import SegmentedDL

@Suite("Digests sent by servers")
struct ServerDigestFieldTests {
    // Digests of "hello world".
    private static let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
    private static let sha256Base64 = "uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek="
    private static let sha1 = "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"
    private static let sha1Base64 = "Kq5sNclPz7QV2+lfQIuc6R7oRu0="
    private static let md5 = "5eb63bbbe01eeed093cb22bb8f5acdc3"
    private static let md5Base64 = "XrY7u+Ae7tCTyyK7j1rNww=="

    private func found(_ fields: [(String, String)], whole: Bool = true) -> [String] {
        let head = ResponseHead(status: 200, fields: fields.map { HTTPHeader($0.0, $0.1) })
        return ServerDigest.all(in: head, bodyIsWhole: whole).map { "\($0.field) \($0.checksum)" }
    }

    @Test("are read from each field that can have them")
    func fields() {
        #expect(
            found([("Repr-Digest", "sha-256=:\(Self.sha256Base64):, unixsum=:AAA=:")]) == [
                "Repr-Digest sha256=\(Self.sha256)"
            ])
        #expect(
            found([("content-digest", "md5=:\(Self.md5Base64):;q=1 ,sha=:\(Self.sha1Base64):")]) == [
                "Content-Digest md5=\(Self.md5)", "Content-Digest sha1=\(Self.sha1)",
            ])
        #expect(
            found([("Digest", "SHA=\(Self.sha1Base64),SHA-256=\(Self.sha256Base64)")]) == [
                "Digest sha1=\(Self.sha1)", "Digest sha256=\(Self.sha256)",
            ])
        #expect(
            found([("x-goog-hash", "crc32c=n03x6A=="), ("x-goog-hash", "md5=\(Self.md5Base64)")]) == [
                "x-goog-hash crc32c=9f4df1e8", "x-goog-hash md5=\(Self.md5)",
            ])
        #expect(
            found([
                ("x-amz-checksum-crc32", "y/Q5Jg=="), ("x-amz-checksum-crc32c", "4waSgw=="),
                ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
            ]) == [
                "x-amz-checksum-crc64nvme crc64nvme=ae8b14860a799888",
                "x-amz-checksum-crc32c crc32c=e3069283", "x-amz-checksum-crc32 crc32=cbf43926",
            ])
        #expect(
            found([("x-amz-checksum-sha256", Self.sha256Base64), ("X-Amz-Checksum-Sha1", Self.sha1Base64)])
                == ["x-amz-checksum-sha256 sha256=\(Self.sha256)", "x-amz-checksum-sha1 sha1=\(Self.sha1)"])
        #expect(found([("Content-MD5", Self.md5Base64)]) == ["Content-MD5 md5=\(Self.md5)"])
    }

    @Test("of the message count only if the message is the whole file")
    func ofMessages() {
        #expect(found([("Content-Digest", "md5=:\(Self.md5Base64):")], whole: false) == [])
        #expect(found([("Content-MD5", Self.md5Base64)], whole: false) == [])
        #expect(
            found([("Repr-Digest", "md5=:\(Self.md5Base64):")], whole: false) == [
                "Repr-Digest md5=\(Self.md5)"
            ])
    }

    @Test(
        "of an object in parts count only if they are declared to cover the whole, as a range requires",
        arguments: [
            (200, "rosUhgp5mIg=", nil, true), (206, "rosUhgp5mIg=", nil, true),
            (206, "rosUhgp5mIg=", "FULL_OBJECT", true), (200, "rosUhgp5mIg=", "COMPOSITE", false),
            (206, "rosUhgp5mIg=-2", "COMPOSITE", false), (200, "rosUhgp5mIg=-2", nil, false),
            (200, "rosUhgp5mIg=", "SOMETHING_NEW", false),
        ] as [(Int, String, String?, Bool)])
    func parts(status: Int, value: String, type: String?, counts: Bool) {
        var head = ResponseHead(status: status, fields: [HTTPHeader("x-amz-checksum-crc64nvme", value)])
        if let type {
            head = ResponseHead(
                status: status,
                fields: [
                    HTTPHeader("x-amz-checksum-crc64nvme", value), HTTPHeader("x-amz-checksum-type", type),
                ])
        }
        #expect((ServerDigest.strongest(in: head, bodyIsWhole: true) != nil) == counts)
    }

    @Test("of an object count in a range without their type only if their algorithm has no composite values")
    func untyped() {
        func digests(_ status: Int, _ fields: [(String, String)], whole: Bool) -> Int {
            let head = ResponseHead(status: status, fields: fields.map { HTTPHeader($0.0, $0.1) })
            return ServerDigest.all(in: head, bodyIsWhole: whole).count
        }
        let cyclic = ("x-amz-checksum-crc64nvme", "rosUhgp5mIg=")
        let hash = ("x-amz-checksum-sha256", Self.sha256Base64)
        #expect(digests(206, [cyclic, hash], whole: false) == 1)
        #expect(digests(200, [cyclic, hash], whole: true) == 2)
        #expect(digests(206, [cyclic, ("x-amz-mp-parts-count", "3")], whole: false) == 0)
    }

    @Test("of parts, or of another stored form, do not count")
    func otherContent() {
        #expect(found([("x-amz-checksum-sha256", Self.sha256Base64 + "-7")]) == [])
        #expect(
            found([
                ("x-amz-checksum-type", "COMPOSITE"), ("x-amz-checksum-sha256", Self.sha256Base64),
            ]) == [])
        #expect(
            found([("x-amz-checksum-type", "FULL_OBJECT"), ("x-amz-checksum-sha256", Self.sha256Base64)])
                .count == 1)
        #expect(
            found([
                ("x-goog-stored-content-encoding", "gzip"), ("x-goog-hash", "md5=\(Self.md5Base64)"),
            ]) == [])
        #expect(
            found([
                ("x-goog-stored-content-encoding", "identity"), ("x-goog-hash", "md5=\(Self.md5Base64)"),
            ]).count == 1)
    }

    @Test(
        "do not count for content that was changed in transit",
        arguments: [
            ("Warning", "214 UploadServer gunzipped"),
            ("X-Guploader-Response-Body-Transformations", "gunzipped"),
        ])
    func transformed(field: String, value: String) {
        let digests = [("x-goog-hash", "md5=\(Self.md5Base64)"), ("Content-MD5", Self.md5Base64)]
        #expect(found(digests).count == 2)
        #expect(found(digests + [(field, value)]) == [])
        #expect(found(digests + [("Warning", "110 - stale")]).count == 2)
        let proxied = ResponseHead(status: 203, fields: [HTTPHeader("Content-MD5", Self.md5Base64)])
        #expect(ServerDigest.all(in: proxied, bodyIsWhole: true) == [])
    }

    @Test(
        "that are invalid are ignored",
        arguments: [
            "", "sha-256", "sha-256=", "sha-256=:", "sha-256=::", "sha-256=:AAAA:", "sha-256=:????:",
            "sha-256=uU0nuZNNPgilLlLX2n2r+sSE7+N6U4DukIj3rOLvzek=", "banana=:uU0nuQ==:", ",,,=,:=:",
        ])
    func garbage(value: String) {
        #expect(found([("Repr-Digest", value)]) == [])
    }

    @Test("with repeated names count by the last")
    func lastMember() {
        #expect(
            found([("Repr-Digest", "md5=:AAAAAAAAAAAAAAAAAAAAAA==:, md5=:\(Self.md5Base64):")]) == [
                "Repr-Digest md5=\(Self.md5)"
            ])
    }

    private static let git = "95d09f2b10159347eece71399a7e2e907ea3df4f"

    private func ofHub(_ redirects: [[(String, String)]], _ last: [(String, String)]) -> String? {
        func head(_ fields: [(String, String)]) -> ResponseHead {
            ResponseHead(status: 200, fields: fields.map { HTTPHeader($0.0, $0.1) })
        }
        let found = ServerDigest.ofHub(redirects: redirects.map(head), last: head(last))
        return found.map { "\($0.field) \($0.checksum)" }
    }

    @Test("as entity tags count from a hub alone")
    func tags() {
        let (commit, size) = (("X-Repo-Commit", "c"), ("X-Linked-Size", "11"))
        #expect(
            ofHub([[commit, size, ("X-Linked-Etag", "\"\(Self.sha256)\"")]], [])
                == "X-Linked-Etag sha256=\(Self.sha256)")
        #expect(
            ofHub([[commit, size, ("X-Linked-Etag", "\"\(Self.git)\"")]], [])
                == "X-Linked-Etag gitsha1=\(Self.git)")
        #expect(ofHub([], [commit, ("ETag", "\"\(Self.git)\"")]) == "ETag gitsha1=\(Self.git)")
        // Another server's tag, a weak one, and one of changed content are none.
        #expect(ofHub([], [("ETag", "\"\(Self.git)\"")]) == nil)
        #expect(ofHub([[("X-Linked-Etag", "\"\(Self.sha256)\"")]], []) == nil)
        #expect(ofHub([], [commit, ("ETag", "W/\"\(Self.git)\"")]) == nil)
        #expect(ofHub([], [commit, ("ETag", Self.git)]) == nil)
        #expect(ofHub([], [commit, ("ETag", "\"\(Self.sha256)\"")]) == nil)
        #expect(ofHub([], [commit, ("ETag", "\"\(Self.git)\""), ("Warning", "214 x")]) == nil)
    }

    @Test("select the strongest")
    func strongest() {
        let head = ResponseHead(
            status: 200,
            fields: [
                HTTPHeader("x-goog-hash", "md5=\(Self.md5Base64)"),
                HTTPHeader("Digest", "SHA-256=\(Self.sha256Base64)"),
                HTTPHeader("Repr-Digest", "sha=:\(Self.sha1Base64):"),
            ])
        #expect(ServerDigest.strongest(in: head, bodyIsWhole: true)?.field == "Digest")
        #expect(ServerDigest.strongest(in: ResponseHead(status: 200), bodyIsWhole: true) == nil)
    }
}
