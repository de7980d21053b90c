/// The causes of a TLS failure that libcurl's codes do not distinguish, by the texts of OpenSSL (its reason
/// strings, RFC 8446, section 6) and of libcurl.
package enum TLSFault: Equatable, Sendable {
    /// The server does not send TLS: it probably speaks plain HTTP at that port.
    case plainHTTP
    /// The server requires a client certificate.
    case certificateRequired
    /// The server refuses the client certificate, or its absence.
    case certificateRefused
    /// The server found nothing that both sides support, possibly a certificate.
    case handshakeRefused
    /// Both sides have no version or cipher in common.
    case nothingInCommon
    /// The server does not know the host's name.
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

    /// - Parameter text: The text of a TLS failure.
    init(_ text: String) {
        let fault = Self.words.first { word in text.contains(word.text) }?.fault
        self = fault ?? Self.alert(in: text)?.fault ?? .other
    }

    /// Returns true if the peer has ended the connection by an alert that the same request would get again.
    /// Other alerts report bytes damaged in transit, or a temporarily failing server.
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

    /// The texts for a fault that this side finds.
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
