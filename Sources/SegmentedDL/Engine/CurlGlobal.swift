internal import CSegCurl

/// libcurl's process-wide state.
enum CurlGlobal {
    /// The result of the initialization, which runs once per process, before the first handle is created. It
    /// is never undone, because other code in the process may still use libcurl (`curl_global_init(3)`).
    static let result: CURLcode = curl_global_init(seg_global_default())

    /// True if libcurl uses OpenSSL 3.0 or later for TLS, and not another library with the same functions.
    static let usesOpenSSL: Bool = {
        guard let info = curl_version_info(CURLVERSION_FIRST), let text = info.pointee.ssl_version else {
            return false
        }
        return String(cString: text).hasPrefix("OpenSSL/3")
    }()

    static var version: String {
        guard let info = curl_version_info(CURLVERSION_FIRST), let text = info.pointee.version else {
            return "?"
        }
        return String(cString: text)
    }
}
