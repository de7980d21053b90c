import SegmentedDLSupport

/// Whether later answers still speak of the file that the first one spoke of.
final class RemoteIdentity: Sendable {
    enum Verdict: Equatable {
        case same
        /// A sample of bytes has to decide.
        case compare
        /// What differs.
        case changed(String)
    }

    private let length: Int64?
    /// `nil` until the source has answered for the first time.
    private let validators: Lock<Validators?>
    private let trustsAnyETag = Lock(false)

    init(_ resource: ResourceInfo) {
        length = resource.length
        validators = Lock(resource.validators)
    }

    /// Of a further source: it must have a file of the same length, and its first answer says which validators are its
    /// own. Those of two sources have nothing to do with one another.
    init(length: Int64?) {
        self.length = length
        validators = Lock(nil)
    }

    private func known(or first: Validators) -> Validators {
        validators.withLock { validators in
            if let validators { return validators }
            validators = first
            return first
        }
    }

    /// The server's ETags vary for one and the same content: only the other signs count from now on.
    func trustAnyETag() {
        trustsAnyETag.withLock { $0 = true }
    }

    func check(total: Int64, _ later: Validators) -> Verdict {
        guard total == length else { return .changed("its length") }
        let validators = known(or: later)
        switch validators.compare(with: later) {
        case .same: return .same
        case .different: return .changed("its ETag or Last-Modified")
        case .etagOnly: return trustsAnyETag.withLock { $0 } ? .same : .compare
        case .unknown:
            // The same weak validator, or none each time: nothing speaks against it.
            let hadNone = validators == Validators(etag: nil, lastModified: nil)
            return hadNone || later == validators || trustsAnyETag.withLock { $0 } ? .same : .compare
        }
    }

    /// - Throws: `TransferFailure.changed` if a whole answer is of another file.
    func checkWhole(length stated: Int64?, _ later: Validators) throws(TransferFailure) {
        if let stated, let length, stated != length { throw .changed("its length") }
        if known(or: later).compare(with: later) == .different {
            throw .changed("its ETag or Last-Modified")
        }
    }
}
