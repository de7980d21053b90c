/// Causes of a TLS failure that libcurl's codes do not distinguish, derived from the messages of OpenSSL (its
/// reason strings; RFC 8446, section 6) and libcurl.
package enum TLSFault: Equatable, Sendable {
    /// The server does not speak TLS: the port is probably one for plain HTTP.
    case plainHTTP
    /// The server requires a client certificate.
    case certificateRequired
    /// The server refuses the client certificate, or its absence.
    case certificateRefused
    /// The server found no parameters that both sides support. A client certificate may be missing.
    case handshakeRefused
    /// The two sides have no version or cipher in common.
    case nothingInCommon
    /// The server does not recognize the host's name.
    case unknownName
    /// The server's certificate has expired, or is not valid yet.
    case outOfDate
    /// The server's certificate was revoked.
    case revoked
    /// The server's certificate is for another host.
    case otherHost
    /// No trusted authority has signed the server's certificate.
    case untrusted
    /// The file of certificate authorities cannot be read.
    case authorities
    case other

    /// - Parameter text: The message of a TLS failure.
    init(_ text: String) {
        let fault = Self.words.first { word in text.contains(word.text) }?.fault
        self = fault ?? Self.alert(in: text)?.fault ?? .other
    }

    /// Returns true if the peer has ended the connection with an alert that it would send again for the same
    /// request. Other alerts report bytes that were damaged in transit, or a server that fails temporarily.
    static func isLastingAlert(_ text: String) -> Bool { alert(in: text) != nil }

    private static func alert(in text: String) -> (text: String, fault: TLSFault)? {
        guard let start = text.firstRange(of: " alert ") else {
            return text.contains("tlsv1 unrecognized name") ? ("unrecognized name", .unknownName) : nil
        }
        let alert = text[start.upperBound...]
        return alerts.first { alert.hasPrefix($0.text) }
    }

    /// The alerts of a peer that refuses the offered parameters.
    private static let alerts: [(text: String, fault: TLSFault)] = [
        ("certificate required", .certificateRequired), ("bad certificate", .certificateRefused),
        ("unsupported certificate", .certificateRefused), ("certificate revoked", .certificateRefused),
        ("certificate expired", .certificateRefused), ("certificate unknown", .certificateRefused),
        ("unknown ca", .certificateRefused), ("access denied", .certificateRefused),
        ("no certificate", .certificateRefused),
        ("handshake failure", .handshakeRefused), ("protocol version", .nothingInCommon),
        ("insufficient security", .nothingInCommon), ("inappropriate fallback", .nothingInCommon),
        ("no application protocol", .nothingInCommon), ("export restriction", .nothingInCommon),
        ("missing extension", .nothingInCommon), ("unsupported extension", .nothingInCommon),
        ("illegal parameter", .nothingInCommon), ("unrecognized name", .unknownName),
        ("unrecognised name", .unknownName), ("unknown psk identity", .certificateRefused),
    ]

    /// The messages of faults detected by this side.
    private static let words: [(text: String, fault: TLSFault)] = [
        ("wrong version number", .plainHTTP), ("packet length too long", .plainHTTP),
        ("certificate has expired", .outOfDate), ("certificate is not yet valid", .outOfDate),
        ("CRL has expired", .outOfDate), ("SSL certificate problem: certificate revoked", .revoked),
        ("certificate authorities", .authorities),
        ("no alternative certificate subject name matches", .otherHost),
        ("certificate subject name", .otherHost), ("hostname mismatch", .otherHost),
        ("local issuer certificate", .untrusted), ("self-signed certificate", .untrusted),
        ("self signed certificate", .untrusted), ("unable to get issuer certificate", .untrusted),
        ("unable to verify the first certificate", .untrusted), ("invalid CA certificate", .untrusted),
        ("unsupported protocol", .nothingInCommon), ("no protocols available", .nothingInCommon),
        ("wrong ssl version", .nothingInCommon), ("no shared cipher", .nothingInCommon),
        ("no cipher match", .nothingInCommon), ("key too small", .nothingInCommon),
        ("unsafe legacy renegotiation", .nothingInCommon),
    ]
}
