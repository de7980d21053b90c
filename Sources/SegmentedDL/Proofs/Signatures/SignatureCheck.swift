#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The result of the search for a document's signature.
enum SignatureFinding: Sendable, Equatable {
    /// A trusted key has signed the document, or these bytes of it if the signature is inline.
    case valid(DigestProof.Signature, text: [UInt8]? = nil)
    case lacking(SignatureLack)
}

/// The check of a document's signature with the keys that the caller trusts.
struct SignatureCheck: Sendable {
    let keys: [ProofKey]

    /// Checks a detached signature.
    ///
    /// - Parameter name: The name of the signature file, for messages.
    /// - Throws: `CancellationError`.
    func finding(
        _ signature: [UInt8], named name: String, of document: [UInt8]
    ) async throws -> SignatureFinding {
        if MinisignSignature.isLike(signature) { return minisign(signature, name, document) }
        if OpenPGPMessage.isDetached(signature) { return try await openPGP(signature, name, document) }
        if OpenPGPMessage.isInline(signature) {
            // The signature file is the same list with an inline signature.
            let finding = try await inline(signature, named: name)
            guard case .valid(let found, let text?) = finding else { return finding }
            return Self.isSame(text, document)
                ? .valid(found) : Self.lack("\(name) signs different text", isNotable: true)
        }
        return cosign(signature, name, document)
    }

    /// Checks a document with an inline signature (RFC 9580, section 7).
    ///
    /// - Throws: `CancellationError`.
    func inline(_ document: [UInt8], named name: String) async throws -> SignatureFinding {
        guard OpenPGPMessage.isOnlyInline(document) else {
            return Self.lack("\(name) contains more than one signed text")
        }
        return try await openPGP(nil, name, document)
    }

    private func minisign(_ bytes: [UInt8], _ name: String, _ document: [UInt8]) -> SignatureFinding {
        guard let keys = keys(.minisign) else { return Self.noKey(name, "minisign") }
        guard let signature = MinisignSignature(bytes) else { return Self.lack("\(name) is damaged") }
        let shown = MinisignSignature.shown(signature.keyID)
        // Two keys may have the same identifier, because it is not a digest.
        let same = keys.filter { $0[2..<10].elementsEqual(signature.keyID) }
        guard !same.isEmpty else {
            return Self.lack(
                "\(name) was made by the minisign key \(shown), which is not one of the given keys")
        }
        guard same.contains(where: { signature.isValid(of: document, by: $0) }) else {
            return Self.lack("\(name) is not a signature of this list", isNotable: true)
        }
        return .valid(DigestProof.Signature(kind: .minisign, key: shown))
    }

    private func openPGP(
        _ signature: [UInt8]?, _ name: String, _ document: [UInt8]
    ) async throws -> SignatureFinding {
        guard let keys = keys(.openPGP) else { return Self.noKey(name, "OpenPGP") }
        do {
            guard let answer = try await SignatureProgram.verify(signature, of: document, by: keys) else {
                return Self.lack("\(name) cannot be verified, because gpgv is not installed", isNotable: true)
            }
            guard let key = answer.status.key else {
                return Self.lack(
                    "\(name) \(answer.status.reason ?? "")", isNotable: answer.status.isOfTrustedKey)
            }
            return .valid(DigestProof.Signature(kind: .openPGP, key: key), text: answer.text)
        } catch let error as CancellationError {
            throw error
        } catch {
            return Self.lack("\(name) cannot be verified by gpgv: \(error)")
        }
    }

    private func cosign(_ bytes: [UInt8], _ name: String, _ document: [UInt8]) -> SignatureFinding {
        let text = bytes.filter { ![0x20, 0x0a, 0x0d].contains($0) }
        guard let signature = Data(base64Encoded: Data(text)), !signature.isEmpty else {
            return Self.lack("\(name) has no known format")
        }
        guard let keys = keys(.cosign) else { return Self.noKey(name, "cosign") }
        let valid = keys.first { key in
            VerifyingKey(der: key)?.verifies(Array(signature), of: document) ?? false
        }
        // The signature does not name its key.
        guard let valid else { return Self.lack("\(name) is not a signature of this list by a given key") }
        return .valid(DigestProof.Signature(kind: .cosign, key: Digest.sha256(valid)))
    }

    /// Returns the bytes of the keys of a kind; `nil` if none is given.
    private func keys(_ kind: ProofKey.Kind) -> [[UInt8]]? {
        let found = keys.filter { $0.kind == kind }.map(\.bytes)
        return found.isEmpty ? nil : found
    }

    private static func noKey(_ name: String, _ kind: String) -> SignatureFinding {
        lack("\(name) is a signature of \(kind), but no key of \(kind) is given")
    }

    private static func lack(_ reason: String, isNotable: Bool = false) -> SignatureFinding {
        .lacking(SignatureLack(reason: reason, isNotable: isNotable))
    }

    /// Returns true for texts whose lines are equal: an inline signature covers neither line endings nor
    /// trailing spaces.
    private static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
            var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false).map { line in
                line[..<((line.lastIndex { ![0x20, 0x09, 0x0d].contains($0) } ?? line.startIndex - 1) + 1)]
            }
            while lines.last?.isEmpty ?? false { lines.removeLast() }
            return lines
        }
        return lines(one).elementsEqual(lines(other)) { $0.elementsEqual($1) }
    }
}
