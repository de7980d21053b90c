extension Target {
    static let debianIndex = Target(name: "debian-index") { bytes in
        let isOfSources = (bytes.first ?? 0) & 1 == 1
        let text = Array(bytes.dropFirst())
        let whole = poolFiles(text, by: max(text.count, 1), isOfSources: isOfSources)
        promise(poolFiles(text, by: 7, isOfSources: isOfSources) == whole, "pieces give something else")
        for entry in whole ?? [] {
            check(entry)
            guard case .item(let item) = entry, let source = item.sources.first else { continue }
            promise(source.url.utf8.starts(with: "http://host/debian/".utf8), "'\(source)' is elsewhere")
            let path = URLPath(of: source).components.dropFirst().joined(separator: [UInt8(ascii: "/")])
            promise(path.elementsEqual(item.path.text.utf8), "'\(source)' is not '\(item.path)'")
            promise(item.size ?? -1 >= 0 && item.checksums.count == 1, "'\(item.path)' has no digest")
        }
    }

    private static func poolFiles(_ bytes: [UInt8], by size: Int, isOfSources: Bool) -> [MirrorEntry]? {
        guard let root = try? Source("http://host/debian/") else { fatalError("no URL") }
        var list = PoolList(isOfSources: isOfSources, root: root, name: "index")
        do {
            var entries: [MirrorEntry] = []
            for chunk in pieces(bytes, of: size) { entries += try list.feed(chunk) }
            return try entries + list.finish()
        } catch {
            return nil
        }
    }

    static let debianRelease = Target(name: "debian-release") { bytes in
        guard let release = try? ReleaseFile(bytes, name: "InRelease") else { return }
        promise(release.indexes.allSatisfy { $0.size >= 0 }, "a negative size")
        promise(Set(release.indexes.map(\.path)).count == release.indexes.count, "an index comes twice")
        guard
            let selection = try? ReleaseSelection(
                of: release, components: [], architectures: [], name: "suite")
        else { return }
        let files = Set(selection.files.map(\.path))
        promise(files.count == selection.files.count, "a file comes twice")
        promise(files.isSubset(of: release.indexes.map(\.path)), "a file that the suite does not list")
    }
}
