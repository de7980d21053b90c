import SegmentedDLSupport

/// The file described by a source's first response, for comparison with later responses.
final class RemoteIdentity: Sendable {
    enum Verdict: Equatable {
        case same
        /// Undecided: compare a sample of the bytes.
        case compare
        /// Another file; the text describes the difference.
        case changed(String)
    }

    /// The length in bytes; `nil` if only the end of the stream shows it.
    let length: Int64?
    /// The Content-Type of the file itself.
    private let type: String?
    /// `nil` before the source's first response.
    private let validators: Lock<Validators?>
    private let trustsAnyETag = Lock(false)
    private let sendsRanges = Lock(false)

    init(_ resource: ResourceInfo) {
        length = resource.length
        type = resource.contentType
        validators = Lock(resource.validators)
    }

    /// The file of a further source: it must have the same length. Its validators are those of the source's
    /// own first response, because the validators of two sources are unrelated.
    init(length: Int64?, type: String? = nil) {
        self.length = length
        self.type = type
        validators = Lock(nil)
    }

    private func known(or first: Validators) -> Validators {
        validators.withLock { validators in
            if let validators { return validators }
            validators = first
            return first
        }
    }

    /// True if both servers sent a date, and the dates differ.
    func hasOtherDate(than other: RemoteIdentity) -> Bool {
        let dates = [self, other].compactMap { $0.validators.withLock { $0?.lastModified } }
        return dates.count == 2 && dates[0] != dates[1]
    }

    /// Ignores ETags from now on: the server sends varying ones for the same content.
    func trustAnyETag() {
        trustsAnyETag.withLock { $0 = true }
    }

    /// True once a part was compared with known bytes, which shows that the source sends the ranges that it
    /// announces.
    var isKnownToSendRanges: Bool { sendsRanges.withLock { $0 } }

    /// Records that the bodies of partial responses contain the ranges in their heads.
    func trustRanges() {
        sendsRanges.withLock { $0 = true }
    }

    /// Compares the file with that of a later response to a range request.
    ///
    /// - Parameter total: The whole file's length in bytes.
    func check(total: Int64, _ later: Validators) -> Verdict {
        guard total == length else { return .changed("its length") }
        let validators = known(or: later)
        switch validators.compare(with: later) {
        case .same: return .same
        case .different: return .changed("its ETag or Last-Modified")
        case .etagOnly, .ofAnswer: return trustsAnyETag.withLock { $0 } ? .same : .compare
        case .unknown:
            // The same weak validators, or none each time: nothing indicates a different file.
            return later == validators || trustsAnyETag.withLock { $0 } ? .same : .compare
        }
    }

    /// Compares the file with that of a later response with the whole file.
    ///
    /// - Parameter type: Its Content-Type.
    /// - Throws: `TransferFailure.changed` if it is another file, `page` if it is not a file.
    func checkWhole(length stated: Int64?, type: String?, _ later: Validators) throws(TransferFailure) {
        if !WebPage.isType(self.type), WebPage.isType(type) { throw .page }
        if let stated, let length, stated != length {
            throw isMessage(length: stated, type: type, later) ? .page : .changed("its length")
        }
        if known(or: later).compare(with: later) == .different {
            throw .changed("its ETag or Last-Modified")
        }
    }

    /// Returns true for a response with a different length that may be a message about the file.
    private func isMessage(length stated: Int64, type: String?, _ later: Validators) -> Bool {
        // A page or a message may differ in each response.
        guard let length, stated < length, !WebPage.isType(self.type), !WebPage.isMessageType(self.type)
        else { return false }
        return WebPage.isMessage(length: stated, type: type, later, insteadOf: known(or: later))
    }
}
