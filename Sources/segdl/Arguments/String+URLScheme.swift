import SegmentedDL

extension String {
    /// True if it begins like a file's URL, as no option's name and hardly any path does.
    var hasURLScheme: Bool {
        LocationScheme(of: lowercased()) != nil
            || ["http://", "https://", "ftp://"].contains { lowercased().hasPrefix($0) }
    }
}
