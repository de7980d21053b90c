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
