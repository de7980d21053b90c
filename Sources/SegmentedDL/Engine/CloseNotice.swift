internal import CSegCurl
internal import CSegTLS

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
