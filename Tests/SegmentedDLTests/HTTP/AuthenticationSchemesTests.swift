import Testing

@testable import SegmentedDL

@Suite("The schemes of a refusal")
struct AuthenticationSchemesTests {
    private func schemes(_ fields: String...) -> AuthenticationSchemes {
        AuthenticationSchemes(
            ResponseHead(status: 401, fields: fields.map { HTTPHeader("WWW-Authenticate", $0) }))
    }

    @Test("are read from one field or several, without the parameters")
    func names() {
        #expect(schemes().names.isEmpty)
        #expect(schemes("Basic realm=\"a, Digest b\"").names.first == "basic")
        #expect(schemes("Digest realm=\"a\", nonce=\"b\", Basic realm=\"c\"").names == ["digest", "basic"])
        #expect(schemes("Negotiate", "NTLM").names == ["negotiate", "ntlm"])
        #expect(schemes("Unheard-of x=1").names.isEmpty)
    }

    @Test("show whether a user name and a password help")
    func obstacles() {
        #expect(schemes().obstacle == nil)
        #expect(schemes("Digest x=1", "Basic").obstacle == nil)
        #expect(schemes("Negotiate", "Digest x=1").obstacle == .digest)
        #expect(schemes("Bearer realm=\"a\"").obstacle == .token)
        #expect(schemes("Negotiate", "NTLM").obstacle == .unsupported(["Negotiate", "NTLM"]))
    }

    @Test("report an algorithm that libcurl does not support, because it reads only the first challenge")
    func algorithm() {
        let unknown = "Digest realm=\"r\", nonce=\"n\", algorithm=SHA3-512"
        let usual = "Digest realm=\"r\", nonce=\"n\", algorithm=MD5"
        #expect(schemes(unknown, usual).obstacle == .unsupported(["Digest with the algorithm SHA3-512"]))
        #expect(schemes(usual, unknown).obstacle == .digest)
        #expect(schemes("Digest algorithm=\"sha-256\"").obstacle == .digest)
        #expect(schemes(unknown, "Basic").obstacle == nil)
    }

    @Test("determine the advice and the option")
    func advice() throws {
        let source = try Source("https://host.example/x")
        func error(_ fields: String, hasCredentials: Bool) -> DownloadError {
            TransferFailure.refused(status: 401, wants: schemes(fields)).error(
                for: source, file: "x", Circumstances(hasCredentials: hasCredentials))
        }
        let none = error("Digest x=1", hasCredentials: false)
        #expect(none.message.hasSuffix(": it only accepts digest authentication; give credentials."))
        #expect(none.remedy == .digestCredentials)
        let basic = error("Digest x=1", hasCredentials: true)
        #expect(basic.message.contains("only accepts digest authentication") && basic.remedy == .digest)
        let other = error("Negotiate", hasCredentials: true)
        #expect(other.message.hasSuffix(": it only accepts Negotiate, which is not supported."))
        #expect(other.remedy == nil && other.status == 401)
        #expect(error("Bearer", hasCredentials: false).remedy == .token)
    }
}
