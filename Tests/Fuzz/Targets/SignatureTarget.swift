#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Target {
    /// A signature, a key, or the lines of gpgv.
    static let signature = Target(name: "signature") { bytes in
        if let signature = MinisignSignature(bytes) {
            promise(MinisignSignature.isLike(bytes), "a signature without its first words")
            promise(signature.keyID.count == 8 && signature.signature.count == 64, "\(signature)")
            promise(signature.commentSignature.count == 64, "\(signature)")
            let kind = Array((signature.isPrehashed ? "ED" : "Ed").utf8)
            let first = Data(kind + signature.keyID + signature.signature).base64EncodedString()
            let second = Data(signature.commentSignature).base64EncodedString()
            let text = Array("untrusted comment: x\n\(first)\ntrusted comment: ".utf8)
            let written = text + signature.comment + Array("\n\(second)\n".utf8)
            promise(MinisignSignature(written) == signature, "it is not read as it was written")
            let key = Array("Ed".utf8) + signature.keyID + [UInt8](repeating: 9, count: 32)
            promise(!signature.isValid(of: bytes, by: key), "a signature by a key that has signed nothing")
        }
        if let key = try? ProofKey(bytes) {
            promise(!key.bytes.isEmpty, "a key without bytes")
            let stored = (try? JSONEncoder().encode(key)).flatMap {
                try? JSONDecoder().decode(ProofKey.self, from: $0)
            }
            promise(stored == key, "a key is not read as it was stored")
        }
        if OpenPGPMessage.isOnlyInline(bytes) {
            promise(OpenPGPMessage.isInline(bytes), "a signed text that does not begin with its mark")
        }
        let status = OpenPGPStatus(String(decoding: bytes, as: UTF8.self), isInline: false)
        promise((status.key == nil) == (status.reason != nil), "neither a key nor a reason")
        promise(status.key == nil || !status.isForged, "a forged signature with a key")
    }
}
