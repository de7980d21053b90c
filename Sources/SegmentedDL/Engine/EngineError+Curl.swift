internal import CSegCurl

extension EngineError {
    /// What libcurl's result says, in our kinds.
    ///
    /// - Parameter detail: The CURLOPT_ERRORBUFFER, which is empty if there is nothing to add.
    init(_ result: CURLcode, detail: UnsafePointer<CChar>) {
        let text = String(cString: detail)
        self.init(
            kind: Self.kind(of: result),
            message: text.isEmpty ? String(cString: curl_easy_strerror(result)) : text)
    }

    private static func kind(of result: CURLcode) -> Kind {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            .resolve
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            .connect
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_OPERATION_TIMEDOUT:
            .timeout
        case CURLE_PARTIAL_FILE:
            .truncated
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .lost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_WRITE_ERROR:
            .badResponse
        case CURLE_INTERFACE_FAILED, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE,
            CURLE_BAD_FUNCTION_ARGUMENT, CURLE_URL_MALFORMAT, CURLE_SETOPT_OPTION_SYNTAX:
            .setting
        default:
            .other
        }
    }
}
