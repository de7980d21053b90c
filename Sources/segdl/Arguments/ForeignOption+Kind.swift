import SegmentedDLOptions

extension ForeignOption {
    /// The kind of an option; `nil` if it is unknown, or segdl does not have it.
    static func kind(of name: String) -> CommandOptions.Kind? {
        switch meaning(of: name) {
        case .value, .isDefaultWithValue: .valued
        case .flag, .isDefault: .flag
        case .missing, nil: nil
        }
    }
}
