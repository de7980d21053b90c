import Testing

@testable import SegmentedDL

@Suite("Challenges")
struct AuthenticationChallengeTests {
    private static let token: [(String, String)] = [
        ("realm", "https://a/t"), ("service", "s"), ("scope", "x:y:pull,push"),
    ]

    @Test(
        "are read with their parameters",
        arguments: [
            ("Basic realm=\"a b\"", [("basic", [("realm", "a b")])]),
            (
                "Bearer realm=\"https://a/t\",service=\"s\",scope=\"x:y:pull,push\"", [("bearer", token)]
            ),
            (
                "bearer realm=https://a/t , service = s",
                [("bearer", [("realm", "https://a/t"), ("service", "s")])]
            ),
            (
                "Negotiate, Basic realm=\"\\\"a\\\\\", Bearer realm=x",
                [("negotiate", []), ("basic", [("realm", "\"a\\")]), ("bearer", [("realm", "x")])]
            ),
            ("Digest REALM=a, realm=b", [("digest", [("realm", "a")])]),
            ("NTLM dG9rZW4=", [("ntlm", [("dg9rzw4", "")])]),
            ("", []), (",,", []), ("=x, Basic", [("basic", [])]), ("realm=\"a\"", []),
            ("Basic realm=\"open", [("basic", [("realm", "open")])]), ("Basic \"x\"", [("basic", [])]),
        ] as [(String, [(String, [(String, String)])])])
    func parsing(field: String, expected: [(String, [(String, String)])]) {
        let read = AuthenticationChallenge.parse(field)
        #expect(read.map(\.scheme) == expected.map(\.0))
        #expect(read.map(\.parameters) == expected.map { Dictionary(uniqueKeysWithValues: $0.1) })
    }
}
