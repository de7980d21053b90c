/// The options of one request. Only a download's first request has any.
struct RequestOptions: Sendable {
    /// An existing copy: the file is fetched only if it has changed. The condition is kept across redirects;
    /// it reveals the copy's version, not its owner.
    var copy: KnownCopy?
    /// False to send no condition, because the server has refused it; the copy is compared without one.
    var hasCondition = true
    /// False to send no content coding, because the server has refused `identity`.
    var namesCoding = true
    /// The file that an earlier run's bytes belong to, for comparison with the response.
    var known: KnownFile?
    /// True to request a digest of the whole file, which some servers send only on request.
    var wantsDigest = false
    /// The maximum length in bytes of a body that may be received with its head.
    var prefetchBytes = 0
    /// True if a known digest would reveal another file's body, so that the request may be pipelined.
    var isVouchedFor = false
    /// True to send the request over a new connection.
    var opensConnection = false

    /// Called when a connection to a server has been opened, with its round-trip time in seconds.
    var onConnect: (@Sendable (Source, Double) -> Void)?

    /// The body to send; `nil` for a GET.
    var body: RequestBody?

    /// The maximum useful value of `prefetchBytes`. Such a body is received at once, before its destination
    /// is known; most small files are shorter.
    static let maximumPrefetchBytes = ResponseHead.longestShortBody

    /// Returns the header fields that may be sent to any host.
    ///
    /// - Parameter decodes: True if libcurl adds the codings that it decodes; otherwise the server is asked
    ///   not to encode the bytes.
    func fields(decodes: Bool) -> [HTTPHeader] {
        var fields = decodes || !namesCoding ? [] : [HTTPHeader("Accept-Encoding", "identity")]
        if let copy, hasCondition { fields.append(copy.condition.header) }
        if wantsDigest {
            // RFC 9530 and RFC 3230: a server supports one or the other.
            fields.append(HTTPHeader("Want-Repr-Digest", "sha-256=10, sha-512=3"))
            fields.append(HTTPHeader("Want-Digest", "sha-256, sha-512;q=0.3"))
        }
        return fields
    }
}

/// A copy of a remote file, with the facts for revalidation.
struct KnownCopy: Equatable, Sendable {
    /// The header fields that request the file only if it has changed.
    var condition: Condition
    /// Bytes.
    var length: Int64

    /// Returns true if a response with the file, or a part of it, describes this copy.
    func isDescribed(by response: Response) -> Bool {
        let total =
            switch response.verdict {
            case .range(_, let total): total
            case .whole(let length): length
            default: Int64?.none
            }
        return total == length && condition.isConfirmed(by: response.head)
    }

    /// Returns true for a response that is probably a page or a message about the file, not a new version of
    /// it.
    func isAnsweredByWords(_ resource: ResourceInfo, names: [String]) -> Bool {
        // A page may differ in each response.
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
    /// The condition that a copy with these validators has changed; `nil` if it has none.
    package init?(of copy: Validators) {
        guard let condition = copy.etag.map(Self.etag) ?? copy.lastModified.map(Self.lastModified) else {
            return nil
        }
        self = condition
    }

    /// The validators of the copy that the condition contains.
    var validators: Validators {
        switch self {
        case .etag(let tag): Validators(etag: tag, lastModified: nil)
        case .lastModified(let date): Validators(etag: nil, lastModified: date)
        }
    }
}
