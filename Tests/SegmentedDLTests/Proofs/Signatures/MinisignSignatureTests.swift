import Foundation
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("A signature of minisign")
struct MinisignSignatureTests {
    private let list = Array(ListSignatures.list.utf8)
    private let key: [UInt8]
    private let otherKey: [UInt8]

    init() throws {
        key = try ProofKey(ListSignatures.key).bytes
        otherKey = try ProofKey(ListSignatures.otherKey).bytes
    }

    private static func read(_ text: String) -> MinisignSignature? { MinisignSignature(Array(text.utf8)) }

    @Test(
        "is valid for its list and its key, in both forms",
        arguments: [
            (ListSignatures.minisign, true), (ListSignatures.olderMinisign, false),
            (ListSignatures.minisign.replacingOccurrences(of: "\n", with: "\r\n"), true),
            (String(ListSignatures.minisign.dropLast()), true),
        ])
    func valid(text: String, isPrehashed: Bool) throws {
        let signature = try #require(Self.read(text))
        #expect(signature.isPrehashed == isPrehashed)
        #expect(MinisignSignature.shown(signature.keyID) == ListSignatures.keyID)
        #expect(signature.isValid(of: list, by: key))
        #expect(!signature.isValid(of: list + [0x0a], by: key))
        #expect(!signature.isValid(of: [], by: key))
        #expect(!signature.isValid(of: list, by: otherKey))
    }

    @Test("is not valid for a key with the same identifier", arguments: [0, 31])
    func sameIdentifier(place: Int) throws {
        let signature = try #require(Self.read(ListSignatures.minisign))
        var key = key
        key[10 + place] ^= 1
        #expect(!signature.isValid(of: list, by: key))
        #expect(!signature.isValid(of: list, by: Array(key.dropLast())))
    }

    @Test("covers its trusted comment, and not the other one")
    func comment() throws {
        let text = ListSignatures.minisign
        let trusted = text.replacingOccurrences(of: "lists of the test", with: "lists of the tesT")
        #expect(try !#require(Self.read(trusted)).isValid(of: list, by: key))
        let untrusted = text.replacingOccurrences(of: "signature from", with: "Signature from")
        #expect(try #require(Self.read(untrusted)).isValid(of: list, by: key))
    }

    @Test("is invalid if its algorithm was changed")
    func algorithm() throws {
        // The same bytes, as those of the other form.
        let changed = ListSignatures.minisign.replacingOccurrences(of: "\nRUTb", with: "\nRWTb")
        let signature = try #require(Self.read(changed))
        #expect(!signature.isPrehashed && !signature.isValid(of: list, by: key))
        #expect(Self.read(ListSignatures.minisign.replacingOccurrences(of: "\nRUTb", with: "\nRVTb")) == nil)
    }

    @Test("is invalid if a byte was changed or it is truncated")
    func damaged() throws {
        let bytes = Array(ListSignatures.minisign.utf8)
        for count in 0..<bytes.count - 1 {
            #expect(MinisignSignature(Array(bytes[..<count])) == nil, "\(count) bytes")
        }
        let trusted = try #require(bytes.firstIndex(of: 0x0a))
        for place in trusted..<bytes.count - 1 {
            var changed = bytes
            changed[place] ^= 1
            #expect(!(MinisignSignature(changed)?.isValid(of: list, by: key) ?? false), "\(place)")
        }
    }

    @Test(
        "has exactly four lines",
        arguments: [
            ListSignatures.minisign + "\n", ListSignatures.minisign + "x", "\n" + ListSignatures.minisign,
            ListSignatures.minisign + ListSignatures.minisign, ListSignatures.key, "", "\n\n\n\n",
            "untrusted comment: x\n\(ListSignatures.key)\n",
        ])
    func other(text: String) {
        #expect(Self.read(text) == nil)
    }
}
