internal import SegmentedDL
internal import SystemPackage

extension MirrorEntries {
    /// Returns the identity of a source and the selected part of it. An unfinished run is resumed only with
    /// the same identity. Blocks.
    ///
    /// - Returns: `nil` for a source that cannot be read twice.
    func identity() throws -> String? {
        let text: String
        switch source {
        case .index(let url): text = "index \(url.identity)"
        case .bucket(let url, let prefix): text = "bucket \(url.identity) \(prefix)"
        case .hub(let source): text = "hub \(source.identity)"
        case .registry(let source): text = "registry \(source.identity)"
        case .releases(let source): text = "releases \(source.identity)"
        case .packages(let url): text = "packages \(url.identity)"
        case .record(let url): text = "record \(url.identity)"
        case .debian(let source): text = "debian \(source.identity)"
        case .list(let url, let format): text = "list \(format.rawValue) \(url.identity)"
        case .file(let path, let format, let base):
            // A rewritten list is a different list.
            guard let identity = FileIdentity.ofFile(at: SystemCalls.resolved(path)) else { return nil }
            text =
                "file \(format.rawValue) \(identity.inode) \(identity.size) \(identity.modified) \(base?.url ?? "")"
        }
        let globs = [filter.include, filter.exclude].map { $0.map(\.description).joined(separator: "\n") }
        // Hash the text: a URL may contain a signature.
        return Digest.sha256("\(text)\n\(globs)\n\(options.depth ?? -1)".utf8)
    }
}
