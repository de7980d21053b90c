extension Target {
    static let metalink = Target(name: "metalink") { bytes in checkList(bytes, .metalink) }

    /// The first byte tells the format.
    static let mirrorList = Target(name: "mirror-list") { bytes in
        let formats: [ListFormat] = [.urls, .jsonLines, .tabSeparated, .checksums]
        guard let first = bytes.first else { return }
        checkList(Array(bytes.dropFirst()), formats[Int(first) % formats.count])
    }

    private static func checkList(_ bytes: [UInt8], _ format: ListFormat) {
        let whole = list(bytes, format, by: max(bytes.count, 1))
        promise(list(bytes, format, by: 7) == whole, "pieces give something else")
        var last = 0
        for entry in whole ?? [] {
            check(entry)
            guard case .unusable(let entry) = entry, entry.place.hasPrefix("line ") else { continue }
            guard let line = Int(entry.place.dropFirst(5)) else { fatalError("'\(entry.place)'") }
            promise(line >= last, "line \(line) comes after \(last)")
            last = line
        }
    }

    private static func list(_ bytes: [UInt8], _ format: ListFormat, by size: Int) -> [MirrorEntry]? {
        guard let base = try? Source("http://host/pub/SUMS"),
            var parser = try? MirrorListParser(format, name: "list", base: base)
        else { fatalError("no parser") }
        do {
            var entries: [MirrorEntry] = []
            for chunk in pieces(bytes, of: size) { entries += try parser.feed(chunk) }
            return try entries + parser.finish()
        } catch {
            return nil
        }
    }
}
