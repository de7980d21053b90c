internal import CSegCrypto

/// A public key of libcrypto. Not `Sendable`: only one thread at a time may use it.
final class VerifyingKey {
    private let key: OpaquePointer

    /// Reads an Ed25519 key (RFC 8032).
    ///
    /// - Returns: `nil` if it is not 32 bytes long, or libcrypto lacks Ed25519.
    init?(ed25519 bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard let key = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, bytes, bytes.count) else {
            return nil
        }
        self.key = key
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280, section 4.1).
    init?(der bytes: [UInt8]) {
        let key = bytes.withUnsafeBufferPointer { buffer in
            var next = buffer.baseAddress
            return d2i_PUBKEY(nil, &next, buffer.count)
        }
        guard let key else { return nil }
        self.key = key
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// Returns true if a signature of a message is valid. The message is hashed with SHA-256, unless it is an
    /// Ed25519 key.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let digest = EVP_PKEY_is_a(key, "ED25519") == 1 ? nil : "SHA256"
        return EVP_DigestVerifyInit_ex(context, nil, digest, nil, nil, key, nil) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Returns the BLAKE2b-512 (RFC 7693) of bytes; `nil` if libcrypto lacks it.
    static func blake2b(_ bytes: [UInt8]) -> [UInt8]? {
        var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length = 0
        guard EVP_Q_digest(nil, "BLAKE2B-512", nil, bytes, bytes.count, &digest, &length) == 1 else {
            return nil
        }
        return Array(digest.prefix(length))
    }
}
