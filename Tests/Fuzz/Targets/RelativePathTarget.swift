extension Target {
    static let relativePath = Target(name: "relative-path") { bytes in
        guard let path = try? RelativePath(String(decoding: bytes, as: UTF8.self)) else { return }
        check(path)
        guard let again = try? RelativePath(path.text), again == path else {
            fatalError("'\(path)' is read back differently")
        }
    }

    static func check(_ path: RelativePath) {
        let bytes = Array(path.text.utf8)
        promise(!bytes.isEmpty && bytes.count <= RelativePath.maximumLength, "\(bytes.count) bytes")
        promise(
            bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") }, "control or backslash")
        for component in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            promise(!component.isEmpty && component.count <= SafeFileName.longest, "'\(path)' has a bad part")
            promise(
                !component.elementsEqual(".".utf8) && !component.elementsEqual("..".utf8),
                "'\(path)' has dots")
        }
        promise(
            path.components.map(String.init).joined(separator: "/") == path.text, "'\(path)' has other parts")
        promise(
            (path.parent.map { $0.text + "/" } ?? "") + path.name == path.text, "'\(path)' has another parent"
        )
    }

    static func check(_ entry: MirrorEntry) {
        switch entry {
        case .item(let item):
            check(item.path)
            promise(!item.sources.isEmpty, "'\(item.path)' has no source")
            promise(item.size ?? 0 >= 0, "'\(item.path)' has \(item.size ?? 0) bytes")
            if let pieces = item.pieces {
                promise(pieces.length >= 1 && pieces.count >= 1, "'\(item.path)' has pieces of nothing")
                promise(
                    (try? PieceHashes(length: pieces.length, (0..<pieces.count).map { pieces[$0] }))
                        == pieces, "pieces")
            }
        case .unusable(let entry): check(entry)
        }
    }

    static func check(_ entry: UnusableEntry) {
        promise(!entry.reason.isEmpty, "no reason")
        promise(
            (entry.reason + entry.place).unicodeScalars.allSatisfy {
                $0.properties.generalCategory != .control
            },
            "a control character in '\(entry.reason)'")
    }
}
