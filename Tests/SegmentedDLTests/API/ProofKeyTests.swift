import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A key that signs lists")
struct ProofKeyTests {
    @Test(
        "is read from a file, or from minisign's line alone",
        arguments: [
            (ListSignatures.key, ProofKey.Kind.minisign),
            ("untrusted comment: minisign public key\n\(ListSignatures.key)\n", .minisign),
            ("untrusted comment: x\r\n\(ListSignatures.key)\r\n", .minisign), (ListSignatures.pem, .cosign),
            ("a comment\n" + ListSignatures.pem, .cosign),
        ])
    func text(text: String, kind: ProofKey.Kind) throws {
        #expect(try ProofKey(text).kind == kind)
    }

    @Test("of OpenPGP is read with and without armor")
    func openPGP() throws {
        // Version 4, 2026-11-28, Ed25519: the beginning of a packet is enough here.
        let packet: [UInt8] = [0x98, 0x33, 0x04, 0x6a, 0x0a, 0xe3, 0xdc, 0x16]
        let base64 = Data(packet).base64EncodedString()
        let armor = { (fields: String, end: String) in
            """
            text in front
            -----BEGIN PGP PUBLIC KEY BLOCK-----
            \(fields)
            \(base64)\(end)
            -----END PGP PUBLIC KEY BLOCK-----

            """
        }
        for text in [armor("", ""), armor("Comment: x: y\nVersion: 1\n", "\n=AbCd")] {
            let key = try ProofKey(text)
            #expect(key.kind == .openPGP && key.bytes == packet, "\(text)")
        }
        #expect(try ProofKey(armor("", "") + armor("", "")).bytes == packet + packet)
        #expect(try ProofKey(packet).bytes == packet)
    }

    @Test(
        "is not any other text",
        arguments: [
            "", "hello", String(ListSignatures.key.dropLast(4)), ListSignatures.key + ListSignatures.key,
            ListSignatures.key + "\n" + ListSignatures.otherKey, "RUT" + ListSignatures.key.dropFirst(3),
            String(ListSignatures.pem.dropLast(30)), ListSignatures.pem + ListSignatures.pem,
            "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", ListSignatures.minisign,
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----\n",
            "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDME\n",
        ])
    func other(text: String) {
        #expect(throws: DownloadError.self) { try ProofKey(text) }
    }

    @Test(
        "is not a private key",
        arguments: [
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlFgE\n-----END PGP PRIVATE KEY BLOCK-----\n",
            "-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\nAAAA\n",
        ])
    func privateKey(text: String) {
        let error = #expect(throws: DownloadError.self) { try ProofKey(text) }
        #expect(error?.message.contains("private") ?? false)
    }

    @Test("has at most 256 KiB")
    func long() {
        #expect(throws: DownloadError.self) { try ProofKey([UInt8](repeating: 0x98, count: 262_145)) }
    }

    @Test("is stored with a request, and invalid bytes are not read")
    func stored() throws {
        var request = try DownloadRequest("https://h/a", to: .directory("."))
        request.proofPolicy = .require(
            .signature, keys: [try ProofKey(ListSignatures.key), try ProofKey(ListSignatures.pem)])
        let data = try JSONEncoder().encode(request)
        #expect(try JSONDecoder().decode(DownloadRequest.self, from: data) == request)
        for bytes in ["AAAA", "", "!"] {
            let text = #"{"kind":"minisign","bytes":"\#(bytes)"}"#
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(ProofKey.self, from: Data(text.utf8))
            }
        }
    }

    @Test("is not needed in a stored policy")
    func absent() throws {
        let policy = try JSONDecoder().decode(ProofPolicy.self, from: Data(#"{"searches":true}"#.utf8))
        #expect(policy == .search)
    }

    @Test("is needed where a signature is required")
    func required() throws {
        var request = try DownloadRequest("https://h/a", to: .directory("."))
        request.proofPolicy = .require(.signature)
        #expect(throws: DownloadError.self) { try request.validate() }
    }
}
