/// The options of one request. Only a download's first request has any.
struct RequestOptions: Sendable {
    /// A copy that is there: the file is wanted only if it has changed. The condition goes along wherever
    /// redirects lead, because it tells of the copy, and nothing of its owner.
    var copy: KnownCopy?
    /// False if the copy is to be compared without a condition in the request, which the server has refused.
    var hasCondition = true
    /// False if no coding is to be named, because the server has refused the word for none.
    var namesCoding = true
    /// The file that bytes of an earlier run are of: its server's answer is held against it.
    var known: KnownFile?
    /// True if a digest of the whole file is asked for, which some servers send only then.
    var wantsDigest = false
    /// The longest body, in bytes, that may come along with its head.
    var prefetchBytes = 0
    /// True if a digest is known that shows a body of another file, so that the request may be sent ahead of
    /// other answers.
    var isVouchedFor = false

    /// The body to send; `nil` for a GET.
    var body: RequestBody?

    /// The longest useful value of `prefetchBytes`. Such a body is received at once, before its destination
    /// is known; most small files are shorter.
    static let maximumPrefetchBytes = FetchPipeline.maximumBodyBytes

    /// Returns the header fields that any host may see.
    ///
    /// - Parameter decodes: True if libcurl adds the codings that it decodes. Otherwise bytes are counted as
    ///   the server counts them.
    func fields(decodes: Bool) -> [HTTPHeader] {
        var fields = decodes || !namesCoding ? [] : [HTTPHeader("Accept-Encoding", "identity")]
        if let copy, hasCondition { fields.append(copy.condition.header) }
        if wantsDigest {
            // RFC 9530 and RFC 3230: a server knows the one or the other.
            fields.append(HTTPHeader("Want-Repr-Digest", "sha-256=10, sha-512=3"))
            fields.append(HTTPHeader("Want-Digest", "sha-256, sha-512;q=0.3"))
        }
        return fields
    }
}

/// A copy of a remote file, by the facts that its server is asked about.
struct KnownCopy: Equatable, Sendable {
    /// The condition that the file is another one.
    var condition: Condition
    /// Bytes.
    var length: Int64

    /// Returns true if an answer with the file, or with a part of it, describes this copy.
    func isDescribed(by response: Response) -> Bool {
        let total =
            switch response.verdict {
            case .range(_, let total): total
            case .whole(let length): length
            default: Int64?.none
            }
        return total == length && condition.isConfirmed(by: response.head)
    }

    /// Returns true for an answer that is probably a page or words about the file, and no new version of it.
    func isAnsweredByWords(_ resource: ResourceInfo, names: [String]) -> Bool {
        // A page may be another one each time.
        guard !names.contains(where: WebPage.isName) else { return false }
        if resource.isPage, WebPage.isNameOfOther(names) { return true }
        return resource.length ?? 0 < length
            && WebPage.isMessage(
                length: resource.length,
                type: names.contains(where: WebPage.isMessageName) ? nil : resource.contentType,
                resource.validators, insteadOf: condition.validators)
    }
}

extension Condition {
    /// The validators of the copy, as far as they are asked about.
    var validators: Validators {
        switch self {
        case .etag(let tag): Validators(etag: tag, lastModified: nil)
        case .lastModified(let date): Validators(etag: nil, lastModified: date)
        }
    }
}
