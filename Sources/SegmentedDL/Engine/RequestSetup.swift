internal import CSegCurl

/// The options of one request on its handle, and the memory that libcurl uses for them until `free` is
/// called.
struct RequestSetup {
    /// The message that libcurl adds to a result (CURLOPT_ERRORBUFFER).
    let errorBuffer: UnsafeMutablePointer<CChar>
    private let headerList: UnsafeMutablePointer<curl_slist>?

    /// Sets the options of a request on a handle.
    init(_ request: TransferRequest, on easy: UnsafeMutableRawPointer) {
        errorBuffer = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        var list: UnsafeMutablePointer<curl_slist>?
        let (cookies, fields) = Self.separated(request.sentHeaders)
        for header in fields {
            // libcurl sends a field without a value only if it is written with a semicolon
            // (CURLOPT_HTTPHEADER).
            let line = header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)"
            list = curl_slist_append(list, line)
        }
        headerList = list
        seg_set_string(easy, CURLOPT_URL, request.urlWithUser)
        seg_set_list(easy, CURLOPT_HTTPHEADER, headerList)
        // libcurl adds the cookies of a file to these. In a header, they would be another Cookie field.
        seg_set_string(easy, CURLOPT_COOKIE, cookies)
        seg_set_string(easy, CURLOPT_RANGE, request.range.headerValue)
        // "" offers all codings that libcurl was built with, and NULL resets the option, because handles are
        // reused.
        seg_set_string(easy, CURLOPT_ACCEPT_ENCODING, request.decodes ? "" : nil)
        seg_set_long(easy, CURLOPT_DNS_CACHE_TIMEOUT, request.nameSeconds)
        seg_set_long(easy, CURLOPT_FORBID_REUSE, request.closesConnection ? 1 : 0)
        seg_set_long(easy, CURLOPT_FRESH_CONNECT, request.opensConnection ? 1 : 0)
        // This limit is for the body. The time until the head has a separate limit.
        seg_set_long(easy, CURLOPT_LOW_SPEED_LIMIT, 0)
        // A segment of a large file needs its own connection, but HTTP/2 would send all segments over one.
        let version = request.offersHTTP2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        seg_set_long(easy, CURLOPT_HTTP_VERSION, Int(version))
        // If the connection may be shared, wait for one that is being opened instead of opening another one.
        let waits = request.offersHTTP2 && request.sharedConnections == 1
        seg_set_long(easy, CURLOPT_PIPEWAIT, waits ? 1 : 0)
        request.credentials?.apply(to: easy)
        // A handle with credentials is reset after the request.
        if request.usesDigest { seg_set_long(easy, CURLOPT_HTTPAUTH, Transport.Authentication.digest.flags) }
        request.body?.apply(to: easy)
        seg_set_pointer(easy, CURLOPT_ERRORBUFFER, errorBuffer)
    }

    /// Separates the cookies from the other fields.
    private static func separated(_ headers: [HTTPHeader]) -> (cookies: String?, others: [HTTPHeader]) {
        func isCookie(_ header: HTTPHeader) -> Bool {
            header.name.utf8.count == 6 && header.name.lowercased() == "cookie" && !header.value.isEmpty
        }
        guard headers.contains(where: isCookie) else { return (nil, headers) }
        let cookies = headers.filter(isCookie).map(\.value).joined(separator: "; ")
        return (cookies, headers.filter { !isCookie($0) })
    }

    /// Frees the memory; the handle must no longer use it.
    func free() {
        curl_slist_free_all(headerList)
        errorBuffer.deallocate()
    }
}

extension TransferRequest {
    /// The SHA-256 digest of the empty body of all requests.
    private static let digestOfNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    /// The maximum age of a cached address, in seconds; 60 is libcurl's default.
    var nameSeconds: Int { resolvesAnew ? 0 : 60 }

    /// The URL for libcurl. It searches the netrc file for the password of a user only if the user is part of
    /// the URL.
    var urlWithUser: String {
        guard let credentials, credentials.lacksPassword, let mark = url.firstRange(of: "://") else {
            return url
        }
        let user = PercentEncoding.query(credentials.user)
        return "\(url[..<mark.upperBound])\(user)@\(url[mark.upperBound...])"
    }

    /// The header fields to set on the handle.
    var sentHeaders: [HTTPHeader] {
        guard let signature = credentials?.signature else { return headers }
        let given = headers.filter { $0.name.lowercased() != "accept-encoding" }
        // S3 refuses signed requests that do not state the digest of the body. libcurl 7.88 does not state
        // it, and later versions do not if it is already set. All versions sign it.
        let digest = HTTPHeader("x-amz-content-sha256", Self.digestOfNothing)
        // Amazon's store sends an object's checksums only on request; some compatible stores refuse requests
        // that have this field.
        let checksums =
            signature.service == "s3" && SignedURL.isOfAmazon(url)
            ? HTTPHeader("x-amz-checksum-mode", "ENABLED") : nil
        let token = signature.sessionToken.map { HTTPHeader("x-amz-security-token", $0) }
        return given
            + [digest, checksums, token].compactMap { $0 }.filter { field in
                !given.contains { $0.name.lowercased() == field.name }
            }
    }

    /// The parts of the request that no message may reveal, in case a response repeats them.
    var secrets: [String] {
        let query = url.firstIndex(of: "?").map { url[$0...].dropFirst() } ?? ""
        let values = query.split { $0 == "&" || $0 == "=" }.flatMap { part in
            [String(part), String(decoding: URLParser.decodedBytes(part), as: UTF8.self)]
        }
        let own = ["accept-encoding", "want-digest", "want-repr-digest"]
        let fields = headers.filter { !own.contains($0.name.lowercased()) }.flatMap { field in
            field.value.split { $0 == " " || $0 == ";" || $0 == "=" }.map(String.init)
        }
        let login =
            [credentials?.password, credentials?.signature?.sessionToken].compactMap { $0 }
            + (body?.secrets ?? [])
        return values + fields + login
    }
}

extension Credentials {
    /// True for a user without a password, who is sent in the URL.
    fileprivate var lacksPassword: Bool {
        // libcurl refuses a URL whose user contains a control character.
        signature == nil && !user.isEmpty && password.isEmpty
            && !user.utf8.contains { $0 < 0x20 || $0 == 0x7f }
    }

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
        guard !lacksPassword else { return }
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

extension RequestBody {
    /// Sets the method and the body on the handle of a request.
    func apply(to easy: UnsafeMutableRawPointer) {
        switch self {
        case .form(let text): seg_set_string(easy, CURLOPT_COPYPOSTFIELDS, text)
        case .emptyPut:
            seg_set_string(easy, CURLOPT_COPYPOSTFIELDS, "")
            seg_set_string(easy, CURLOPT_CUSTOMREQUEST, "PUT")
        }
    }
}
