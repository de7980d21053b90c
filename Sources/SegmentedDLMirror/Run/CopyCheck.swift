internal import SegmentedDL

/// The decision about a mirror's copy of a file. It is based on the known properties of the file, the copy
/// and the disk, and accesses neither the disk nor the server.
enum CopyCheck: Equatable, Sendable {
    /// Keep the copy: it is current, and no request is needed.
    case keep
    /// Ask the server: the copy is current if the server confirms the condition.
    case ask(Condition)
    /// Compare the bytes. The local file may be a duplicate of the recorded copy, for example after the
    /// mirror was moved to another disk. It is the recorded copy if it has the recorded digest.
    case compare
    /// Fetch the file.
    case fetch

    /// The check after the disk has been inspected.
    ///
    /// - Parameters:
    ///   - record: The record of an earlier run.
    ///   - found: The file that currently has the name; `nil` if it is not a regular file.
    ///   - run: The number of this run.
    ///   - boot: The identity of the current boot.
    init(of item: MirrorItem, _ record: CopyRecord?, found: FileIdentity?, run: Int64, boot: String) {
        let presumed = CopyCheck(presuming: record, of: item, run: run, boot: boot)
        guard let record, let found, found.isLike(record.identity) else {
            self = .fetch
            return
        }
        self = record.identity == found ? presumed : presumed.comparing(record)
    }

    /// The check before the disk is inspected, assuming that the recorded copy still exists.
    init(presuming record: CopyRecord?, of item: MirrorItem, run: Int64, boot: String) {
        guard let record, item.size ?? record.identity.size == record.identity.size else {
            self = .fetch
            return
        }
        let check = Self(of: item, present: record, run: run)
        self = record.boot == nil || record.boot == boot ? check : check.comparing(record)
    }

    /// The same check for a copy whose bytes may differ from the recorded ones.
    private func comparing(_ record: CopyRecord) -> CopyCheck {
        self == .fetch || record.sha256.isEmpty ? .fetch : .compare
    }

    /// The check for a copy that is certainly the recorded one.
    private init(of item: MirrorItem, present record: CopyRecord, run: Int64) {
        if let wanted = item.strongestChecksum {
            // A digest of another algorithm is computed before anything is fetched.
            self = record.has(wanted) ? .keep : .fetch
        } else if let etag = item.etag, etag == record.etag {
            self = .keep
        } else if record.checked == run, item.etag == nil {
            // An earlier start of this run, which was killed, had completed it.
            self = .keep
        } else {
            self = Self.asking(item, record)
        }
    }

    private static func asking(_ item: MirrorItem, _ record: CopyRecord) -> CopyCheck {
        let validators = Validators(etag: record.etag, lastModified: record.lastModified)
        switch Condition(of: validators) {
        // A server may only check which date is later, so the listing must state the same date.
        case .lastModified(let date)?
        where item.modified ?? HTTPDate.seconds(date) != HTTPDate.seconds(date):
            return .fetch
        case let condition?: return .ask(condition)
        case nil: return .fetch
        }
    }
}
