/// Signatures in the queries of URLs, which grant temporary access and do not select content.
enum SignedQuery {
    /// The prefixes of parameters of S3's, Google's, Alibaba's, Tencent's and Huawei's stores.
    private static let beginnings = ["x-amz-", "x-goog-", "x-oss-", "x-cos-", "x-obs-", "q-"]

    private static let names: Set<String> = [
        // S3 (version 2), CloudFront, and the earlier formats of Google and Alibaba.
        "awsaccesskeyid", "googleaccessid", "ossaccesskeyid", "accesskeyid", "signature", "expires", "policy",
        "key-pair-id",
        // Azure's shared access signatures.
        "sv", "sr", "sig", "se", "st", "sp", "spr", "sip", "ss", "srt", "skoid", "sktid", "skt", "ske", "sks",
        "skv", "sdd", "saoid", "suoid", "scid",
        // Akamai and other CDNs, nginx's secure_link, and common names in custom servers.
        "hdnea", "hdnts", "__gda__", "__token__", "auth_key", "wssecret", "wstime", "txsecret", "txtime",
        "verify", "md5", "token", "access_token", "sign", "hmac", "exp", "expiry", "expire", "timestamp",
        "nonce",
    ]

    /// Returns a URL without signature parameters; `nil` if it has none.
    static func unsigned(_ url: String) -> String? {
        guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        let parameters = url[url.utf8.index(after: mark)...].split(
            separator: "&", omittingEmptySubsequences: false)
        let kept = parameters.filter { !isOfSignature($0.prefix { $0 != "=" }.lowercased()) }
        guard kept.count < parameters.count else { return nil }
        return "\(url[..<mark])?\(kept.joined(separator: "&"))"
    }

    /// Returns true for the name of such a parameter, in lower case.
    static func isOfSignature(_ name: String) -> Bool {
        names.contains(name) || beginnings.contains(where: name.hasPrefix)
    }
}
