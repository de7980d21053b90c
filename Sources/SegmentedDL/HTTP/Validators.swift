/// The fields that tell one version of a remote file from another (RFC 9110, section 8.8).
package struct Validators: Equatable, Hashable, Sendable {
    package var etag: String?
    package var lastModified: String?
    /// True if the date is that of the answer, and there is no ETag: a program that makes each answer has
    /// dated it so, and another date is no sign of another file.
    package var isOfAnswer = false

    package init(etag: String?, lastModified: String?) {
        self.etag = etag
        self.lastModified = lastModified
    }

    init(_ head: ResponseHead) {
        // An empty field tells nothing.
        func value(_ name: String) -> String? { head[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.init(etag: value("etag"), lastModified: value("last-modified"))
        guard etag == nil, let modified = lastModified.flatMap(HTTPDate.seconds),
            let sent = head["date"].flatMap(HTTPDate.seconds)
        else { return }
        // The clock may go on between the two fields.
        isOfAnswer = abs(sent - modified) <= 1
    }

    /// The relation between two answers.
    package enum Comparison: Equatable {
        case same
        /// No field that both answers have proves anything.
        case unknown
        /// The ETag differs though Last-Modified agrees, as behind some load balancers.
        case etagOnly
        /// Last-Modified differs, and is the later answer's own moment.
        case ofAnswer
        case different
    }

    /// True if equal validators prove that two answers are of the same bytes.
    var canTellFiles: Bool { hasStrongETag || lastModified != nil }

    /// True if there is a field in the place of each one that an earlier answer had, and at least one.
    func describeAsMuch(as before: Validators) -> Bool {
        (etag != nil || lastModified != nil) && (etag != nil || before.etag == nil)
            && (lastModified != nil || before.lastModified == nil)
    }

    package var hasStrongETag: Bool {
        guard let etag else { return false }
        return !etag.hasPrefix("W/")
    }

    /// The validators of the decoded content: a strong tag is that of the encoded bytes.
    var ofDecoded: Validators {
        Validators(etag: etag.map { $0.hasPrefix("W/") ? $0 : "W/\($0)" }, lastModified: lastModified)
    }

    /// Compares them with a later answer's validators; the caller compares the lengths.
    package func compare(with later: Validators) -> Comparison {
        let isSameDate = Self.agree(lastModified, later.lastModified)
        if isSameDate == false { return later.isOfAnswer && etag == nil ? .ofAnswer : .different }
        switch Self.agree(etag, later.etag) {
        case true: return hasStrongETag || isSameDate == true ? .same : .unknown
        case false: return isSameDate == true ? .etagOnly : .different
        case nil: return isSameDate == true ? .same : .unknown
        }
    }

    /// Returns true if two fields are equal, and `nil` if one of them is missing.
    private static func agree(_ one: String?, _ other: String?) -> Bool? {
        guard let one, let other else { return nil }
        return one == other
    }
}
