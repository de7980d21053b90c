internal import CSegCurl

extension Credentials {
    /// Sets what authenticates a request on its handle.
    func apply(to easy: UnsafeMutableRawPointer) {
        if let signature {
            // Before the secret: a libcurl that cannot sign would send it.
            guard seg_set_string(easy, CURLOPT_AWS_SIGV4, signature.option) == CURLE_OK else { return }
            // Paths are signed as they are sent.
            seg_set_long(easy, CURLOPT_PATH_AS_IS, 1)
            // libcurl signs every field that it is given, and proxies in front of stores change this one.
            seg_set_string(easy, CURLOPT_ACCEPT_ENCODING, "identity")
            seg_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        }
        seg_set_string(easy, CURLOPT_USERNAME, user)
        seg_set_string(easy, CURLOPT_PASSWORD, password)
    }
}

extension TransferRequest {
    /// Takes credentials for its host; a URL that is signed already is asked for as it is.
    mutating func authenticate(_ credentials: Credentials?) {
        guard let credentials, credentials.signature != nil else {
            self.credentials = credentials
            return
        }
        guard !SignedURL.isSigned(url) else { return }
        url = SignedURL.canonical(url)
        self.credentials = credentials
    }

    /// The header fields that libcurl is given.
    var sentHeaders: [HTTPHeader] {
        guard let signature = credentials?.signature else { return headers }
        let token = signature.sessionToken.map { [HTTPHeader("x-amz-security-token", $0)] } ?? []
        return headers.filter { $0.name.lowercased() != "accept-encoding" } + token
    }
}
