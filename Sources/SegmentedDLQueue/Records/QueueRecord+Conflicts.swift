internal import SegmentedDL

extension QueueRecord {
    /// Returns the names of the settings in which a repeated addition differs from the existing download.
    ///
    /// A setting with its default value is not a conflict: a program may add its list again after settings
    /// were changed.
    func conflicts(with known: QueueRecord) -> [String] {
        let plain = QueueRecord(id: id, source: source, destination: destination, added: added)
        func differs<Value: Equatable>(_ setting: KeyPath<QueueRecord, Value>) -> Bool {
            self[keyPath: setting] != plain[keyPath: setting]
                && self[keyPath: setting] != known[keyPath: setting]
        }
        let names: [(String, Bool)] = [
            ("policy for existing files", differs(\.request.ifExists)), ("name", differs(\.request.naming)),
            ("checksum", differs(\.request.checksums)),
            ("verification of the server's digest", differs(\.request.verifiesServerDigest)),
            ("search for proofs", differs(\.request.proofPolicy)),
            ("number of connections", differs(\.request.segments)),
            ("rate limit", differs(\.request.rate)),
            ("number of tries", differs(\.request.tries)),
            ("completion action", differs(\.onComplete)), ("mirrors", differs(\.request.mirrors)),
            ("rule for missing directories", differs(\.request.makesDirectory)),
            ("rule for unfinished files", differs(\.request.takesOver)),
            ("date", differs(\.request.keepsRemoteDate)),
            ("order of bytes", differs(\.request.order)),
            ("rule for links", differs(\.request.followsLinks)),
            ("type", differs(\.request.expectedTypes)),
            ("rule for encoded files", differs(\.request.ifEncoded)),
            ("length", differs(\.request.expectedLength) || differs(\.request.maximumLength)),
        ]
        return names.filter(\.1).map(\.0)
    }
}
