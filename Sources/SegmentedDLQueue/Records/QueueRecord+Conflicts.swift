internal import SegmentedDL

extension QueueRecord.Options {
    /// Returns the names of the settings in which a second addition differs from the known download.
    ///
    /// A setting with its default value is no wish: a program may add its plain list again after a change.
    func conflicts(with known: Self) -> [String] {
        let plain = Self()
        func differs<Value: Equatable>(_ setting: KeyPath<Self, Value>) -> Bool {
            self[keyPath: setting] != plain[keyPath: setting]
                && self[keyPath: setting] != known[keyPath: setting]
        }
        let names: [(String, Bool)] = [
            ("policy for existing files", differs(\.ifExists)), ("name", differs(\.naming)),
            ("checksum", differs(\.checksums)),
            ("check of the server's digest", differs(\.verifiesServerDigest)),
            ("number of connections", differs(\.segments)), ("rate limit", differs(\.rate)),
            ("completion action", differs(\.onComplete)), ("mirrors", differs(\.mirrors)),
            ("rule for missing directories", differs(\.makesDirectory)),
            ("rule for unfinished files", differs(\.takesOver)), ("date", differs(\.keepsRemoteDate)),
            ("order of bytes", differs(\.order)), ("rule for links", differs(\.followsLinks)),
        ]
        return names.filter(\.1).map(\.0)
    }
}
