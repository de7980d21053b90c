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
        case .digest: "--digest"
        case .checksum: "--checksum ALGORITHM=DIGEST"
        case .digestCredentials: "-u USER:PASSWORD --digest"
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
