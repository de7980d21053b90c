internal import SegmentedDL

/// What is known of a file that a mirror has put there.
struct CopyRecord: Equatable, Sendable {
    /// The URL that it came from, without credentials.
    var url: String
    /// What tells it from a file that someone else put or changed there.
    var identity: FileIdentity
    /// Its SHA-256 in lower-case hexadecimal.
    var sha256: String
    /// Another digest that it was found to have.
    var digest: Checksum?
    /// The server's ETag field, as it was sent.
    var etag: String?
    /// The server's Last-Modified field, as it was sent.
    var lastModified: String?
    /// The boot that it was written in, if it was not synced to the disk; `nil` if it was.
    var boot: String?
    /// The last run in which it was fetched, or the server said that it has not changed.
    var checked: Int64

    /// Whether it is known to have a digest.
    func has(_ checksum: Checksum) -> Bool { digest(checksum.algorithm) == checksum.hexadecimal }

    /// Its digest of an algorithm, if that is known.
    func digest(_ algorithm: Checksum.Algorithm) -> String? {
        algorithm == .sha256 ? sha256 : digest.flatMap { $0.algorithm == algorithm ? $0.hexadecimal : nil }
    }
}

/// What is to be done for one file of a mirror.
enum CopyDecision: Equatable, Sendable {
    /// What is there is the file: nothing has to be asked.
    case keep
    /// What is there is the file if the server says so.
    case ask(Condition)
    /// What is there may be a copy of the file, as of one that was moved to another disk: it is if it has the known digest.
    case compare
    /// The file is to be fetched.
    case fetch

    /// - Parameters:
    ///   - record: What an earlier run knows of the file.
    ///   - found: What has the file's name now; `nil` if that is no regular file.
    ///   - run: The number of this run.
    ///   - boot: The running boot's identity.
    init(for item: MirrorItem, _ record: CopyRecord?, found: FileIdentity?, run: Int64, boot: String) {
        let presumed = CopyDecision(presumedFor: item, record, run: run, boot: boot)
        guard let record, let found, found.isLike(record.identity) else {
            self = .fetch
            return
        }
        self = record.identity == found ? presumed : presumed.comparing(record)
    }

    /// The same if what was put there is there still, before that is looked at.
    init(presumedFor item: MirrorItem, _ record: CopyRecord?, run: Int64, boot: String) {
        guard let record, item.size ?? record.identity.size == record.identity.size else {
            self = .fetch
            return
        }
        let decision = Self(for: item, record, run: run)
        self = record.boot == nil || record.boot == boot ? decision : decision.comparing(record)
    }

    /// The same where a copy may not have the bytes that it had.
    private func comparing(_ record: CopyRecord) -> CopyDecision {
        self == .fetch || record.sha256.isEmpty ? .fetch : .compare
    }

    /// Of what is there for certain.
    private init(for item: MirrorItem, _ record: CopyRecord, run: Int64) {
        if let wanted = item.strongestChecksum {
            // One of another algorithm is computed before anything is fetched.
            self = record.has(wanted) ? .keep : .fetch
        } else if let etag = item.etag, etag == record.etag {
            self = .keep
        } else if record.checked == run, item.etag == nil {
            // A run that was killed has already had it.
            self = .keep
        } else {
            self = Self.asking(item, record)
        }
    }

    private static func asking(_ item: MirrorItem, _ record: CopyRecord) -> CopyDecision {
        if let etag = record.etag { return .ask(.etag(etag)) }
        guard let date = record.lastModified else { return .fetch }
        // A server may only compare which date is later.
        guard item.modified ?? HTTPDate.seconds(date) == HTTPDate.seconds(date) else { return .fetch }
        return .ask(.lastModified(date))
    }
}

extension MirrorItem {
    /// The digest that decides.
    var strongestChecksum: Checksum? { checksums.max { $0.algorithm.length < $1.algorithm.length } }
}
