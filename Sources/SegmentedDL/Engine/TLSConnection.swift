internal import CSegCurl
internal import CSegTLS

/// The OpenSSL state of a transfer's connection.
enum TLSConnection {
    /// Returns OpenSSL's `SSL`, which is valid while the transfer has its connection.
    ///
    /// - Returns: `nil` without TLS, or without OpenSSL.
    static func of(_ easy: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        CurlGlobal.usesOpenSSL ? seg_get_openssl_connection(easy) : nil
    }

    /// Returns true if the connection has decrypted but unread bytes.
    static func hasUnread(_ connection: UnsafeMutableRawPointer) -> Bool { seg_tls_has_unread(connection) }

    /// Returns true if the server has chosen HTTP/2 for the connection.
    static func hasHTTP2(_ easy: UnsafeMutableRawPointer) -> Bool {
        of(easy).map { seg_alpn_is_http2($0) } ?? false
    }

    /// In bytes: the maximum length of a record (RFC 8446, section 5.2), and the overhead of each record.
    private static let recordBytes: Int64 = 16 * 1024 + 256
    private static let overheadBytes: Int64 = 29

    /// Returns the maximum number of bytes that must arrive to deliver `length` bytes of a body: a record can
    /// be decrypted only as a whole.
    static func bytes(for length: Int64) -> Int64 {
        length + (length / 1024 + 1) * overheadBytes + recordBytes
    }
}

/// Determines whether a body that ends with its TLS connection is complete.
///
/// libcurl treats the end of a connection as the end of such a body. Over TLS, a server announces that it has
/// sent everything (close_notify). Without this alert, any host on the path may have closed the connection
/// early.
final class CloseNotice {
    // A C pointer, released once, in `deinit`.
    private let notice: OpaquePointer

    /// Watches the connection of a transfer whose head has just been received.
    ///
    /// - Returns: `nil` without TLS, or without OpenSSL.
    init?(_ easy: UnsafeMutableRawPointer) {
        guard let connection = TLSConnection.of(easy), let notice = seg_close_notice_watch(connection)
        else { return nil }
        self.notice = notice
    }

    deinit {
        seg_close_notice_release(notice)
    }

    /// True if the server has announced that it has sent everything.
    var isReceived: Bool { seg_close_notice_is_received(notice) }
}
