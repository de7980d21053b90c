import Locks

/// Whether later answers still speak of the file that the first one spoke of.
final class RemoteIdentity: Sendable {
    enum Verdict: Equatable {
        case same
        /// A sample of bytes has to decide.
        case compare
        /// What differs.
        case changed(String)
    }

    private let resource: ResourceInfo
    private let trustsAnyETag = Mutex(false)

    init(_ resource: ResourceInfo) {
        self.resource = resource
    }

    /// The server's ETags vary for one and the same content: only the other signs count from now on.
    func trustAnyETag() {
        trustsAnyETag.withLock { $0 = true }
    }

    func check(total: Int64, _ later: Validators) -> Verdict {
        guard total == resource.length else { return .changed("its length") }
        switch resource.validators.compare(with: later) {
        case .same: return .same
        case .different: return .changed("its ETag or Last-Modified")
        case .etagOnly: return trustsAnyETag.withLock { $0 } ? .same : .compare
        case .unknown:
            // The same weak validator, or none each time: nothing speaks against it.
            let hadNone = resource.validators == Validators(etag: nil, lastModified: nil)
            return hadNone || later == resource.validators || trustsAnyETag.withLock { $0 } ? .same : .compare
        }
    }

    /// - Throws: `TransferFailure.changed` if a whole answer is of another file.
    func checkWhole(length: Int64?, _ later: Validators) throws(TransferFailure) {
        if let length, let known = resource.length, length != known { throw .changed("its length") }
        if resource.validators.compare(with: later) == .different {
            throw .changed("its ETag or Last-Modified")
        }
    }
}
