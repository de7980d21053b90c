/// The fields that distinguish versions of a remote file (RFC 9110, section 8.8).
package struct Validators: Equatable, Hashable, Sendable {
    package var etag: String?
    package var lastModified: String?
    /// True if there is no ETag, and the modification date is that of the response itself: the response was
    /// generated, and a different date does not indicate a different file.
    package var isOfAnswer = false

    /// Values that are empty or contain control characters are ignored, because a record on disk may be
    /// damaged.
    package init(etag: String?, lastModified: String?) {
        // An empty field is meaningless, and an invalid one cannot be sent back.
        func usable(_ value: String?) -> String? {
            value.flatMap { $0.isEmpty || !HTTPHeader.isPlain($0) ? nil : $0 }
        }
        self.etag = usable(etag)
        self.lastModified = usable(lastModified)
    }

    init(_ head: ResponseHead) {
        self.init(etag: head["etag"], lastModified: head["last-modified"])
        guard etag == nil, let modified = lastModified.flatMap(HTTPDate.seconds),
            let sent = head["date"].flatMap(HTTPDate.seconds)
        else { return }
        // The clock may advance between the two fields.
        isOfAnswer = abs(sent - modified) <= 1
    }

    /// The relation between two responses.
    package enum Comparison: Equatable {
        case same
        /// No field that both responses have proves anything.
        case unknown
        /// The ETag differs, or is missing now, although Last-Modified agrees, as behind some load balancers.
        case etagOnly
        /// Last-Modified differs, and is the date of the later response itself.
        case ofAnswer
        case different
    }

    /// True if equality of these validators proves that the bytes are the same.
    var canTellFiles: Bool { hasStrongETag || lastModified != nil }

    /// True if every field of an earlier response is present, and there is at least one.
    func describeAsMuch(as before: Validators) -> Bool {
        (etag != nil || lastModified != nil) && (etag != nil || before.etag == nil)
            && (lastModified != nil || before.lastModified == nil)
    }

    package var hasStrongETag: Bool {
        guard let etag else { return false }
        return !etag.hasPrefix("W/")
    }

    /// The validators of the decoded content: a strong tag identifies the encoded bytes.
    var ofDecoded: Validators {
        Validators(etag: etag.map { $0.hasPrefix("W/") ? $0 : "W/\($0)" }, lastModified: lastModified)
    }

    /// Compares them with a later response's validators; the caller compares the lengths.
    package func compare(with later: Validators) -> Comparison {
        let isSameDate = Self.agree(lastModified, later.lastModified)
        if isSameDate == false { return later.isOfAnswer && etag == nil ? .ofAnswer : .different }
        switch Self.agree(etag, later.etag) {
        case true: return hasStrongETag || isSameDate == true ? .same : .unknown
        case false: return isSameDate == true ? .etagOnly : .different
        // Two versions may have the same date, but a server that sends tags would have told them apart.
        case nil where isSameDate == true: return etag != nil && later.etag == nil ? .etagOnly : .same
        case nil: return .unknown
        }
    }

    /// Returns true if two fields are equal, or `nil` if one of them is missing.
    private static func agree(_ one: String?, _ other: String?) -> Bool? {
        guard let one, let other else { return nil }
        return one == other
    }
}
