import Testing

@testable import SegmentedDL

@Suite("Signatures in URLs")
struct SignedQueryTests {
    @Test(
        "are removed, and all else is kept",
        arguments: [
            ("https://h/f?X-Amz-Algorithm=A&X-Amz-Date=D&x-amz-signature=S", "https://h/f?"),
            (
                "https://h/f?versionId=3&X-Amz-Signature=S&response-content-type=x",
                "https://h/f?versionId=3&response-content-type=x"
            ),
            ("https://h/f?AWSAccessKeyId=K&Signature=S&Expires=1", "https://h/f?"),
            ("https://h/f?sv=1&sr=b&sig=S&se=2&sp=r", "https://h/f?"),
            ("https://h/f?X-Goog-Signature=S&generation=7", "https://h/f?generation=7"),
            ("https://h/f?Policy=P&Key-Pair-Id=K&Signature=S", "https://h/f?"),
            ("https://h/f?md5=M&expires=1", "https://h/f?"), ("https://h/f?token=T&id=3", "https://h/f?id=3"),
            ("https://h/f?q-sign-time=1&q-signature=2", "https://h/f?"),
            ("https://h/f?token", "https://h/f?"),
            ("https://h/f?id=3", nil), ("https://h/f?", nil), ("https://h/f", nil), ("https://h/sig=1", nil),
            ("https://h/f?q=x&v=2", nil), ("https://h/f?design=x", nil),
        ] as [(String, String?)])
    func unsigned(url: String, unsigned: String?) {
        #expect(SignedQuery.unsigned(url) == unsigned)
    }

    @Test("distinguish other files, and not the same one")
    func digests() throws {
        let base = "https://h/f?X-Amz-Signature="
        #expect(try Source(base + "1").unsignedDigest == Source(base + "2").unsignedDigest)
        #expect(try Source(base + "1").unsignedDigest != Source(base + "1&versionId=2").unsignedDigest)
        #expect(
            try Source(base + "1").unsignedDigest != Source("https://h/g?X-Amz-Signature=1").unsignedDigest)
    }
}
