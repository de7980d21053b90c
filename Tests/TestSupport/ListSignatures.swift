import Foundation

/// A list of digests, and signatures of it that minisign 0.11 and OpenSSL 3.0 have made.
public enum ListSignatures {
    /// The lengths of the files `a.iso` and `b.iso`, which are all zeros.
    public static let lengths = ["a.iso": 4 << 20 + 1000, "b.iso": 300_000]

    public static let list = """
        cec23ce3d71f9b1431aad255c7314c30a9f373a1c8af500b8ef6e6a5b02f6d1e  a.iso
        886715e4051e827f4fe215df3053af3f85ad0d352db2c829c7487af6d78efe30  b.iso

        """

    public static let key = "RWTb8XNcrKFQ5vOaWRu+nzq+yISbIKh/rqbeV7lRbZT3hFKIL1bLypc3"
    public static let keyID = "E650A1AC5C73F1DB"
    public static let otherKey = "RWQaJz2nAR4wV6/sBWWc6EAFphH1JaBB0ZhSZk+LbFSNIKaPS+LRFgjJ"
    public static let otherKeyID = "57301E01A73D271A"

    /// By `minisign -S`: of the list's BLAKE2b-512.
    public static let minisign = """
        untrusted comment: signature from minisign secret key
        RUTb8XNcrKFQ5m0tjzPEq+UPoEwWv4hgC/6YTzflTDw7SVJaHsBgSsfxLXpclIZ0ePhwggVtjNaW2S+io8SIHIc8Ic1nsvV7tAQ=
        trusted comment: lists of the test
        DYuEF+IJsORBNW2LmkBk7H/TFQSD+LSgQlLCudtVEesKJNUFrkOHJMxRC163TUwiMmKmeWnpfZ4IIg6IpjtBAw==

        """

    /// By `minisign -S -l`: of the list itself.
    public static let olderMinisign = """
        untrusted comment: signature from minisign secret key
        RWTb8XNcrKFQ5pZS33tcN0p+9YeumgWQx5MLPkXS4nRgb2h1hjiklh2hNK+SRaISaIqOXi2QbzP4qOYYxNzwCEX0Iz8zYzyTOQQ=
        trusted comment: the older form
        ixoMcoEceSZoVpQTEbDZ0h6cy3b5kMUrNfyPkRKXppng43VBdkAdUKnK5ArgonnCwJrRAWzDEbkYnp4lFggcBw==

        """

    /// By `otherKey`.
    public static let otherMinisign = """
        untrusted comment: signature from minisign secret key
        RUQaJz2nAR4wVyyR2jhgaC7dBrQA1njRJnUgmdHMUG0h7+kyPqgeyOBsAw7/iEzx6GdN+KNMgs7xoo6x5qJWf63fojwvOCUVogw=
        trusted comment: another key
        enC641Bga+NoMmL2vMSrGUwljKl4oZonBBzSoQf/c9LTl0Cpbf++Q0TtRc2y7X7BeO7LGqfQo/56I7ON08GSBQ==

        """

    /// A key of ECDSA on P-256, in the form of cosign's.
    public static let pem = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfPXd5QLC4mnUmH0/gd+n6icLpWF1
        bcz05si1sRIHLvzugDrYUt6L+69fl+BzMJBPQmtrlIi0fMYudofYk3qaaQ==
        -----END PUBLIC KEY-----

        """
    public static let pemID = "cc0f8f238d77822c542af6081f23f316dfb12bc23411de6fda74085c03063c7f"

    /// By `openssl dgst -sha256 -sign`, in the form of `cosign sign-blob`.
    public static let cosign =
        "MEUCIQD/rCjvo6CAeXsSBoxthTP5r8e6IF9fLY1onfN83LUbwgIgSK1lP6OWTltk2QbVVV22reGn76fHYs535AXoV85mV4E="
}

/// A key of OpenPGP that gpg makes, with a home of its own.
public struct OpenPGPKey: Sendable {
    public struct Failed: Error { public let errors: String }

    private let home: TemporaryDirectory
    public let fingerprint: String
    public let ring: [UInt8]
    public let armored: String

    public init() async throws {
        home = try TemporaryDirectory()
        _ = try await Self.gpg(
            ["--quick-generate-key", "Test <test@example.org>", "ed25519", "sign", "never"], "", home)
        _ = try await Self.gpg(["--output", home.file("ring"), "--export"], "", home)
        ring = try home.read("ring")
        armored = try await Self.gpg(["--armor", "--export"], "", home)
        let listed = try await Self.gpg(["--with-colons", "--list-keys"], "", home)
        let line = listed.split(separator: "\n").first { $0.hasPrefix("fpr:") }
        fingerprint = line?.split(separator: ":").last.map(String.init) ?? ""
    }

    /// Returns a detached signature in armor.
    public func signature(_ text: String) async throws -> String {
        try await Self.gpg(["--armor", "--detach-sign"], text, home)
    }

    /// Returns a detached signature without armor.
    public func binarySignature(_ text: String) async throws -> [UInt8] {
        try? home.remove("signature")
        _ = try await Self.gpg(["--output", home.file("signature"), "--detach-sign"], text, home)
        return try home.read("signature")
    }

    /// Returns the text within its signature.
    public func inline(_ text: String) async throws -> String {
        try await Self.gpg(["--clearsign"], text, home)
    }

    /// Returns a message that has the text in it, which is no detached signature.
    public func message(_ text: String) async throws -> [UInt8] {
        try? home.remove("message")
        _ = try await Self.gpg(["--output", home.file("message"), "--sign"], text, home)
        return try home.read("message")
    }

    private static func gpg(
        _ arguments: [String], _ input: String, _ home: TemporaryDirectory
    ) async throws -> String {
        let usual = [
            "--homedir", home.path, "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback",
        ]
        let end = try await ChildProcess("/usr/bin/gpg", usual + arguments, input: input).result()
        // An agent would outlive the test, with its socket in a directory that is gone.
        _ = try await ChildProcess(
            "/usr/bin/gpgconf", ["--homedir", home.path, "--kill", "gpg-agent"]
        ).result()
        guard end.status == 0 else { throw Failed(errors: end.errors) }
        return end.output
    }
}
