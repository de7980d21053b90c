internal import CSegCurl
internal import CSegTLS

/// Determines whether a body that only the end of its TLS connection ends is complete.
///
/// libcurl treats each end of a connection as the end of the body. Over TLS a server announces that it has
/// sent everything (close_notify); without that, any machine in between may have cut the connection.
final class CloseNotice {
    // A C pointer: released once, in `deinit`.
    private let notice: OpaquePointer

    /// Watches the connection of a transfer whose head has just arrived.
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
