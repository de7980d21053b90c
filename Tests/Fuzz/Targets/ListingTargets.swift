extension Target {
    private static let directory: Source = {
        guard let source = try? Source("http://host/pub/a/") else { fatalError("no URL") }
        return source
    }()

    static let htmlIndex = Target(name: "html-index") { bytes in
        let whole = index(bytes, by: max(bytes.count, 1))
        promise(index(bytes, by: 7) == whole, "pieces give something else")
        for entry in whole ?? [] {
            switch entry {
            case .file(let source, let path), .directory(let source, let path):
                check(path)
                promise(source.origin == directory.origin, "'\(source)' is of another host")
                promise(path.text.utf8.starts(with: "a/".utf8), "'\(path)' is not below the directory")
                let isDirectory = if case .directory = entry { true } else { false }
                let expected = "pub/\(path)\(isDirectory ? "/" : "")"
                promise(
                    URLPath(of: source).components.joined(separator: [UInt8(ascii: "/")]).elementsEqual(
                        expected.utf8),
                    "'\(source)' is not '\(path)'")
            case .unusable(let entry): check(entry)
            }
        }
    }

    private static func index(_ bytes: [UInt8], by size: Int) -> [IndexEntry]? {
        guard let root = try? Source("http://host/pub/"),
            var parser = try? HTMLIndexParser(of: directory, root: root)
        else { fatalError("no parser") }
        do {
            var entries: [IndexEntry] = []
            for chunk in pieces(bytes, of: size) { entries += try parser.feed(chunk) }
            return try entries + parser.finish()
        } catch {
            return nil
        }
    }

    static let s3Page = Target(name: "s3-page") { bytes in
        let whole = page(bytes, by: max(bytes.count, 1))
        let split = page(bytes, by: 7)
        promise(
            split?.entries == whole?.entries && split?.end == whole?.end, "pieces give something else")
        promise(whole?.end != .token("") && whole?.end != .marker(""), "an empty token")
        for entry in whole?.entries ?? [] {
            check(entry)
            guard case .item(let item) = entry, let source = item.sources.first else { continue }
            promise(source.url.utf8.starts(with: "http://host/bucket/p/".utf8), "'\(source)' is elsewhere")
            let path = URLPath(of: source).components.dropFirst(2).joined(separator: [UInt8(ascii: "/")])
            promise(path.elementsEqual(item.path.text.utf8), "'\(source)' is not '\(item.path)'")
        }
    }

    private static func page(_ bytes: [UInt8], by size: Int) -> S3PageParser.Page? {
        guard let endpoint = try? Source("http://host/bucket/"),
            let bucket = try? S3Bucket(endpoint: endpoint, prefix: "p/"),
            var parser = try? S3PageParser(of: bucket)
        else { fatalError("no parser") }
        do {
            for chunk in pieces(bytes, of: size) { try parser.feed(chunk) }
            return try parser.finish()
        } catch {
            return nil
        }
    }

    static func pieces(_ bytes: [UInt8], of size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }
}
