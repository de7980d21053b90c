internal import SegmentedDL
internal import SystemPackage

extension MirrorEntries {
    /// What tells a source and what is wanted of it from another: an unfinished run is gone on with only if it is the
    /// same. Blocks.
    ///
    /// - Returns: `nil` for a source that cannot be read twice.
    func identity() throws -> String? {
        let what: String
        switch source {
        case .index(let url): what = "index \(url.url)"
        case .bucket(let url, let prefix): what = "bucket \(url.url) \(prefix)"
        case .list(let url, let format): what = "list \(format.rawValue) \(url.url)"
        case .file(let path, let format, let base):
            // A list that was written anew is another one.
            guard let identity = FileIdentity.ofFile(at: SystemCalls.resolved(path)) else { return nil }
            what =
                "file \(format.rawValue) \(identity.inode) \(identity.size) \(identity.modified) \(base?.url ?? "")"
        }
        let globs = [filter.include, filter.exclude].map { $0.map(\.description).joined(separator: "\n") }
        // Hashed, since a URL may hold a signature.
        return Digest.sha256("\(what)\n\(globs)\n\(options.depth ?? -1)".utf8)
    }
}
