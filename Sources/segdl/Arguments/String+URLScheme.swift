import SegmentedDL

extension String {
    /// True if the text begins like a URL of a file, as no option name and hardly any path does.
    var hasURLScheme: Bool {
        LocationScheme(of: lowercased()) != nil
            || ["http://", "https://", "ftp://"].contains { lowercased().hasPrefix($0) }
    }
}
