internal import SegmentedDLOptions

/// The options of other tools, by the kind of their meaning.
package enum ForeignOptions {
    private static func named<Value>(_ value: (ForeignOption.Meaning) -> Value?) -> [String: Value] {
        var found: [String: Value] = [:]
        for option in ForeignOption.all {
            guard let value = value(option.meaning) else { continue }
            for name in option.names { found[name] = value }
        }
        return found
    }

    package static let values = named { if case .value(let own) = $0 { own } else { nil } }
    package static let flags = named { if case .flag(let own) = $0 { own } else { nil } }
    package static let missing = named { if case .missing(let sentence) = $0 { sentence } else { nil } }
    package static let defaults = Set(named { $0 == .isDefault ? true : nil }.keys)
    package static let valuedDefaults = Set(named { $0 == .isDefaultWithValue ? true : nil }.keys)
}
