internal import CSegCurl

/// The libcurl of this process, and its build features (`curl_version_info(3)`).
package struct HTTPLibrary: Sendable, Equatable {
    package var version: String
    /// The TLS library, such as `OpenSSL/3.0.15`.
    package var tls: String
    package var hasHTTP2: Bool
    /// Content encodings besides `identity`.
    package var encodings: [String]
    /// True if a slow name server does not block other transfers (`CURL_VERSION_ASYNCHDNS`).
    package var resolvesInBackground: Bool
    /// The built-in path of the certificate authorities; `nil` if it has none.
    package var authorities: String?

    package static let current: HTTPLibrary = {
        guard let info = curl_version_info(CURLVERSION_SEVENTH)?.pointee else {
            return HTTPLibrary(
                version: "?", tls: "?", hasHTTP2: false, encodings: [], resolvesInBackground: false)
        }
        let features = info.features
        let encodings = [
            ("gzip", CURL_VERSION_LIBZ), ("br", CURL_VERSION_BROTLI), ("zstd", CURL_VERSION_ZSTD),
        ]
        return HTTPLibrary(
            version: info.version.map { String(cString: $0) } ?? "?",
            tls: info.ssl_version.map { String(cString: $0) } ?? "none",
            hasHTTP2: features & CURL_VERSION_HTTP2 != 0,
            encodings: encodings.filter { features & $0.1 != 0 }.map(\.0),
            resolvesInBackground: features & CURL_VERSION_ASYNCHDNS != 0,
            authorities: info.age.rawValue >= CURLVERSION_SEVENTH.rawValue
                ? info.cainfo.map { String(cString: $0) } : nil)
    }()
}

/// libcurl's process-wide state.
enum CurlGlobal {
    /// The result of the initialization, which runs once per process, before the first handle is created. It
    /// is never undone, because other code in the process may still use libcurl (`curl_global_init(3)`).
    static let result: CURLcode = curl_global_init(seg_global_default())

    /// True if libcurl uses an idle TLS connection over which session tickets (RFC 8446, section 4.6.1) have
    /// arrived since its handshake. Since 8.0, it closes an idle connection that has unread bytes.
    static let keepsUnusedTLS =
        curl_version_info(CURLVERSION_SEVENTH).map { $0.pointee.version_num < 0x08_0000 } ?? false

    /// True if libcurl uses OpenSSL 3.0 or later for TLS, and not another library with the same functions.
    static let usesOpenSSL = HTTPLibrary.current.tls.hasPrefix("OpenSSL/3")
}

/// A libcurl multi handle, which is passed to the thread that owns it.
///
/// `@unchecked Sendable`: one thread creates it, and then only the owning thread uses and frees it.
struct MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard CurlGlobal.result == CURLE_OK, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    func free() {
        curl_multi_cleanup(pointer)
    }
}
