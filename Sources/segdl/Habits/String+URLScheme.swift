extension String {
    /// True if it begins like the URL of a file, which no option's name and hardly any path does.
    var hasURLScheme: Bool {
        ["http://", "https://", "s3://", "hf://", "oci://", "ftp://"].contains { lowercased().hasPrefix($0) }
    }
}
