internal import CSegCrypto

/// A short digest that detects accidental changes, but not attacks: Poly1305 (RFC 8439) with a fixed key,
/// computed by libcrypto's `EVP_MAC`. It takes a seventh of the time of SHA-256.
///
/// Not `Sendable`: only one thread at a time may use it.
final class Fingerprint {
    private let context: OpaquePointer

    /// Fails if libcrypto lacks Poly1305, as in a FIPS configuration.
    init?() {
        guard let method = Self.method, let context = EVP_MAC_CTX_new(method) else { return nil }
        guard EVP_MAC_init(context, Self.key, Self.key.count, nil) == 1 else {
            EVP_MAC_CTX_free(context)
            return nil
        }
        self.context = context
    }

    deinit {
        EVP_MAC_CTX_free(context)
    }

    /// `nonisolated(unsafe)`: the method may be read by any number of threads, and is never changed or freed.
    private nonisolated(unsafe) static let method = EVP_MAC_fetch(nil, "POLY1305", nil)

    private static let key: [UInt8] = Array("SegmentedDL: bytes of a part file".utf8.prefix(32))

    func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_MAC_update(context, bytes.baseAddress, bytes.count)
    }

    /// The fingerprint of all bytes so far. More bytes may be added.
    var value: UInt64 {
        var bytes = [UInt8](repeating: 0, count: 16)
        var length = 0
        // If a copy cannot be allocated, the value is wrong, and the bytes are merely fetched again.
        guard let copy = EVP_MAC_CTX_dup(context) else { return 0 }
        defer { EVP_MAC_CTX_free(copy) }
        EVP_MAC_final(copy, &bytes, &length, bytes.count)
        return bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
