import SegmentedDL

extension DownloadError {
    /// The message, with the option that helps.
    var commandMessage: String {
        let text = remedy?.sentence(message, for: url ?? "URL") ?? message
        guard status == 404, let url, let example = URLRange.example(in: url) else { return text }
        return "\(text) segdl does not expand brackets and braces; a shell does: \(example)"
    }
}

extension DownloadError.Remedy {
    /// Returns a message with the option that helps.
    ///
    /// - Parameter url: The URL of the failed request.
    func sentence(_ message: String, for url: String) -> String {
        let sentence = message.hasSuffix(".") ? message.dropLast() : message[...]
        return "\(sentence) (\(option(for: url)))."
    }

    /// - Parameter url: The URL of the failed request.
    fileprivate func option(for url: String) -> String {
        switch self {
        case .existingFilePolicy:
            "--if-exists replace, rename or skip; -c if another program started it"
        case .completeFilePolicy:
            "--if-exists replace, rename or skip; --checksum, if it may be the correct file"
        case .replacement: "--if-exists replace"
        case .fileName: "--output"
        case .fileNameOrTree:
            "--output; for the files of a listing, segdl mirror \(url) DIRECTORY"
        case .startOver: "--restart"
        case .takeOver: "--continue, or --restart"
        case .ignoredServerDigest: "--no-server-digest ignores it"
        case .ignoredProof: "--no-proof ignores it"
        case .proof: "--checksum ALGORITHM=DIGEST, or remove --require-proof"
        case .signature: "--proof-key FILE with the key, or remove --require-proof"
        case .encodedContent: "segdl fetch --compressed decodes it, and --encoded stores it without decoding"
        case .undecodedContent: "leave out --compressed"
        case .insecureRedirects: "--insecure-redirects"
        case .certificateAuthorities: "--cacert FILE"
        case .clientCertificate: "--cert FILE"
        case .clientKey: "--key FILE"
        case .passphrase: "--pass PASSPHRASE, or --pass-file FILE"
        case .cookie: "-b NAME=VALUE, or --cookie-file FILE"
        case .certificateFormat: "--cert-type PEM, DER or P12"
        case .keyFormat: "--key-type PEM or DER"
        case .addressFamily: "-4 and -6"
        case .interface: "--interface"
        case .credentials: "-u USER:PASSWORD, or --netrc"
        case .login: "--user"
        case .connectTimeout: "--connect-timeout sets the limit"
        case .firstByteTimeout: "--first-byte-timeout sets the limit"
        case .lowSpeedTime: "--low-speed-time sets the limit"
        case .digest: "--digest"
        case .checksum: "--checksum ALGORITHM=DIGEST"
        case .digestCredentials: "-u USER:PASSWORD --digest"
        case .proxyDigest: "--proxy-digest"
        case .token: "-H 'Authorization: Bearer TOKEN'"
        case .userAgent: "--user-agent AGENT"
        case .mirror: "segdl mirror"
        case .shard: "--shard I/N"
        case .shardCount: "--shards N"
        case .ownName:
            "-o NAME in a separate run, out=NAME in a list, or --if-exists rename; --mirror URL, if both are the same file"
        case .bucket:
            "segdl fetch and segdl mirror also accept s3:// and hf:// URLs, and segdl mirror also oci://"
        }
    }
}

/// The ranges and lists in URLs that curl and aria2 expand, but segdl does not.
enum URLRange {
    /// Returns the equivalent shell braces for a range such as `[1-3]` or `[a-c:2]`, and for a list such as
    /// `{one,two}`; `nil` if the URL has none.
    static func example(in url: String) -> String? {
        let url = url.replacing("%5B", with: "[").replacing("%5D", with: "]").replacing("%7B", with: "{")
            .replacing("%7D", with: "}").replacing("%2C", with: ",")
        if let open = url.firstIndex(of: "["), let close = url[open...].firstIndex(of: "]") {
            let words = url[open..<close].dropFirst().split(separator: ":", omittingEmptySubsequences: false)
            let ends = words.first?.split(separator: "-", omittingEmptySubsequences: false) ?? []
            guard words.count <= 2, ends.count == 2, let first = ends.first, let last = ends.last,
                isEnd(first), isEnd(last)
            else { return nil }
            let step = words.count == 2 ? "..\(words[1])" : ""
            return "\(url[..<open]){\(first)..\(last)\(step)}\(url[close...].dropFirst())"
        }
        guard let open = url.firstIndex(of: "{"), let close = url[open...].firstIndex(of: "}"),
            url[open..<close].contains(",")
        else { return nil }
        return "\(url)"
    }

    private static func isEnd(_ text: Substring) -> Bool {
        !text.isEmpty && (text.allSatisfy { $0.isNumber } || text.count == 1 && text.allSatisfy(\.isLetter))
    }
}
