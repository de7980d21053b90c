extension String {
    /// True if it begins like a file's URL, as no option's name and hardly any path does.
    var hasURLScheme: Bool {
        ["http://", "https://", "s3://", "hf://", "oci://", "ftp://"].contains { lowercased().hasPrefix($0) }
    }
}
