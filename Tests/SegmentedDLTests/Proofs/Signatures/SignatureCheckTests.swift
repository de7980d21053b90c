import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The verification of a list's signature", .timeLimit(.minutes(5)))
struct SignatureCheckTests {
    private let list = Array(ListSignatures.list.utf8)

    private func check(
        _ signature: [UInt8], _ keys: [ProofKey], of document: [UInt8]? = nil
    ) async throws -> SignatureFinding {
        try await SignatureCheck(keys: keys).finding(signature, named: "S", of: document ?? list)
    }

    private func check(_ signature: String, _ keys: [String]) async throws -> SignatureFinding {
        try await check(Array(signature.utf8), keys.map { try ProofKey($0) })
    }

    private func lack(_ finding: SignatureFinding) -> SignatureLack? {
        if case .lacking(let lack) = finding { lack } else { nil }
    }

    @Test("finds the key among several")
    func minisign() async throws {
        let keys = [ListSignatures.pem, ListSignatures.otherKey, ListSignatures.key]
        let signature = DigestProof.Signature(kind: .minisign, key: ListSignatures.keyID)
        #expect(try await check(ListSignatures.minisign, keys) == .valid(signature))
        let other = DigestProof.Signature(kind: .minisign, key: ListSignatures.otherKeyID)
        #expect(try await check(ListSignatures.otherMinisign, keys) == .valid(other))
    }

    @Test("names the key of a signature by another one, which is not a forgery")
    func unknown() async throws {
        let found = lack(try await check(ListSignatures.otherMinisign, [ListSignatures.key]))
        #expect(found?.reason.contains(ListSignatures.otherKeyID) ?? false)
        #expect(found?.isNotable == false)
        let none = lack(try await check(ListSignatures.minisign, [ListSignatures.pem]))
        #expect(none?.reason.contains("no key of minisign") ?? false)
        #expect(none?.isNotable == false)
    }

    @Test("treats a signature of another list as a forgery")
    func forged() async throws {
        let found = try await check(
            Array(ListSignatures.minisign.utf8), [try ProofKey(ListSignatures.key)], of: list + [0x20])
        #expect(lack(found)?.isNotable == true)
    }

    @Test("verifies one by a PEM key")
    func cosign() async throws {
        let signature = DigestProof.Signature(kind: .cosign, key: ListSignatures.pemID)
        #expect(try await check(ListSignatures.cosign, [ListSignatures.pem]) == .valid(signature))
        #expect(try await check(ListSignatures.cosign + "\n", [ListSignatures.pem]) == .valid(signature))
        let changed = ListSignatures.cosign.replacingOccurrences(of: "MEUCIQD/", with: "MEUCIQD+")
        #expect(lack(try await check(changed, [ListSignatures.pem])) != nil)
        #expect(lack(try await check("", [ListSignatures.pem])) != nil)
        #expect(lack(try await check("<html>", [ListSignatures.pem]))?.reason == "S has no known format")
    }

    @Test("verifies OpenPGP signatures by gpgv: detached, with and without armor, and inline")
    func openPGP() async throws {
        let key = try await OpenPGPKey()
        let keys = [try ProofKey(key.ring)]
        #expect(try ProofKey(key.armored) == keys[0])
        let signature = DigestProof.Signature(kind: .openPGP, key: key.fingerprint)
        let armored = Array(try await key.signature(ListSignatures.list).utf8)
        let binary = try await key.binarySignature(ListSignatures.list)
        #expect(try await check(armored, keys) == .valid(signature))
        #expect(try await check(binary, keys) == .valid(signature))
        let inline = Array(try await key.inline(ListSignatures.list).utf8)
        #expect(try await check(inline, keys) == .valid(signature))
        #expect(
            try await SignatureCheck(keys: keys).inline(inline, named: "S") == .valid(signature, text: list))
        // Other bytes, or another list within the signature.
        #expect(lack(try await check(armored, keys, of: list + [0x41]))?.isNotable == true)
        #expect(lack(try await check(inline, keys, of: list + [0x41]))?.isNotable == true)
        // A message has a text of its own, which would be verified in the place of the list.
        let message = try await key.message(ListSignatures.list)
        #expect(lack(try await check(message, keys, of: list + [0x41])) != nil)
        #expect(lack(try await check(message, keys)) != nil)
    }

    @Test("refuses those of another OpenPGP key, and unsigned lines around a signed text")
    func hostile() async throws {
        let (key, other) = (try await OpenPGPKey(), try await OpenPGPKey())
        let armored = Array(try await key.signature(ListSignatures.list).utf8)
        let found = lack(try await check(armored, [try ProofKey(other.ring)]))
        #expect(found?.isNotable == false)
        #expect(found?.reason.contains(key.fingerprint.suffix(16)) ?? false, "\(found?.reason ?? "")")
        let both = [try ProofKey(other.ring), try ProofKey(key.ring)]
        #expect(lack(try await check(armored, both)) == nil)
        let inline = try await key.inline(ListSignatures.list)
        let digest = String(repeating: "0f", count: 32)
        for text in [
            "\(digest)  a.iso\n\(inline)", "\(inline)\(digest)  a.iso\n", inline + inline,
            inline.replacingOccurrences(of: "cec23", with: "dec23"), String(inline.dropLast(60)),
        ] {
            let finding = try await SignatureCheck(keys: both).inline(Array(text.utf8), named: "S")
            #expect(lack(finding) != nil, "\(text)")
        }
    }

    @Test("leaves nothing behind")
    func files() async throws {
        let files = try TemporaryFiles([("a", [1, 2]), ("b", [])])
        #expect(try files.contents(of: "a") == [1, 2])
        #expect(try SystemCalls.status(files.path).permissions == 0o700)
        files.remove()
        #expect(throws: (any Error).self) { try files.contents(of: "a") }
        #expect(!FileManager.default.fileExists(atPath: files.path.string))
    }
}

@Suite("The name of a list's signature")
struct SignatureNameTests {
    @Test("is one that a given key can have made")
    func named() {
        let names: Set = ["L", "L.asc", "L.sig", "L.minisig", "M", "M.sign", "N", "N.asc.sig"]
        #expect(SignatureName.of("L", among: names, [.minisign]) == "L.minisig")
        #expect(SignatureName.of("L", among: names, [.openPGP]) == "L.asc")
        #expect(SignatureName.of("L", among: names, [.cosign]) == "L.sig")
        #expect(SignatureName.of("L", among: names, [.cosign, .minisign]) == "L.minisig")
        #expect(SignatureName.of("M", among: names, [.openPGP]) == "M.sign")
        #expect(SignatureName.of("M", among: names, [.minisign]) == nil)
        #expect(SignatureName.of("N", among: names, [.openPGP, .cosign, .minisign]) == nil)
        #expect(SignatureName.of("L", among: names, []) == nil)
    }

    @Test("makes a list preferable to one without")
    func best() {
        func best(_ names: [String], _ kinds: Set<ProofKey.Kind>) -> String? {
            DigestName.best(for: "a.iso", among: names, signedBy: kinds)?.name
        }
        let names = ["a.iso", "a.iso.sha256", "SHA256SUMS", "SHA256SUMS.gpg", "MD5SUMS", "MD5SUMS.minisig"]
        #expect(best(names, []) == "a.iso.sha256")
        #expect(best(names, [.openPGP]) == "SHA256SUMS")
        #expect(best(names, [.minisign]) == "MD5SUMS")
        #expect(best(names, [.cosign]) == "a.iso.sha256")
        #expect(best(["a.iso", "SHA256SUMS", "sha512sums.asc"], [.openPGP]) == "sha512sums.asc")
    }
}
