internal import CSegCurl

extension Credentials {
    /// Sets the credentials on the handle of a request.
    func apply(to easy: UnsafeMutableRawPointer) {
        if let signature {
            // Set this before the secret, because a libcurl that does not support signing would send the
            // secret itself.
            guard seg_set_string(easy, CURLOPT_AWS_SIGV4, signature.option) == CURLE_OK else { return }
            // The path must be sent as signed.
            seg_set_long(easy, CURLOPT_PATH_AS_IS, 1)
            // libcurl signs every field that is set as a header, but proxies in front of stores modify this
            // one.
            seg_set_string(easy, CURLOPT_ACCEPT_ENCODING, "identity")
            seg_set_long(easy, CURLOPT_HTTP_CONTENT_DECODING, 0)
        }
        seg_set_string(easy, CURLOPT_USERNAME, user)
        seg_set_string(easy, CURLOPT_PASSWORD, password)
    }
}

extension TransferRequest {
    /// Adds the credentials for the request's host. A URL that is already signed is requested unchanged.
    mutating func authenticate(_ credentials: Credentials?) {
        guard let credentials, credentials.signature != nil else {
            self.credentials = credentials
            return
        }
        guard !SignedURL.isSigned(url) else { return }
        url = SignedURL.canonical(url)
        self.credentials = credentials
    }
}
