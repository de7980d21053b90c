import SegmentedDLSupport

/// The file that a source's first answer described, to compare later answers with.
final class RemoteIdentity: Sendable {
    enum Verdict: Equatable {
        case same
        /// A sample of the bytes has to decide.
        case compare
        /// Another file; the text names the difference.
        case changed(String)
    }

    /// Bytes; `nil` if only the end of the stream tells.
    let length: Int64?
    /// The Content-Type of the file itself.
    private let type: String?
    /// `nil` until the source has answered for the first time.
    private let validators: Lock<Validators?>
    private let trustsAnyETag = Lock(false)
    private let sendsRanges = Lock(false)

    init(_ resource: ResourceInfo) {
        length = resource.length
        type = resource.contentType
        validators = Lock(resource.validators)
    }

    /// The file of a further source: it must have the same length. Its validators are those of the source's
    /// own first answer, because the validators of two sources have nothing to do with one another.
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

    /// True if both servers date their files, and differently.
    func hasOtherDate(than other: RemoteIdentity) -> Bool {
        let dates = [self, other].compactMap { $0.validators.withLock { $0?.lastModified } }
        return dates.count == 2 && dates[0] != dates[1]
    }

    /// Ignores ETags from now on: the server's vary for one and the same content.
    func trustAnyETag() {
        trustsAnyETag.withLock { $0 = true }
    }

    /// True once a part was compared with known bytes: the source sends the ranges that it describes.
    var isKnownToSendRanges: Bool { sendsRanges.withLock { $0 } }

    /// Takes it from now on that parts are of the ranges that their heads describe.
    func trustRanges() {
        sendsRanges.withLock { $0 = true }
    }

    /// Compares the file with that of a later answer to a range request.
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
            // The same weak validator, or none each time: there is no sign of another file.
            let hadNone = validators == Validators(etag: nil, lastModified: nil)
            return hadNone || later == validators || trustsAnyETag.withLock { $0 } ? .same : .compare
        }
    }

    /// Compares the file with that of a later answer that holds all of it.
    ///
    /// - Parameter type: Its Content-Type.
    /// - Throws: `TransferFailure.changed` if it is another file, `page` if it is none.
    func checkWhole(length stated: Int64?, type: String?, _ later: Validators) throws(TransferFailure) {
        if !WebPage.isType(self.type), WebPage.isType(type) { throw .page }
        if let stated, let length, stated != length {
            throw isMessage(length: stated, type: type, later) ? .page : .changed("its length")
        }
        if known(or: later).compare(with: later) == .different {
            throw .changed("its ETag or Last-Modified")
        }
    }

    /// Returns true for an answer of another length that may be words about the file.
    private func isMessage(length stated: Int64, type: String?, _ later: Validators) -> Bool {
        // A page or a message may be another one each time.
        guard let length, stated < length, !WebPage.isType(self.type), !WebPage.isMessageType(self.type)
        else { return false }
        return WebPage.isMessage(length: stated, type: type, later, insteadOf: known(or: later))
    }
}
