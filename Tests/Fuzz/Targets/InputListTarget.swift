extension Target {
    static let inputList = Target(name: "input-list") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        var last = 0
        var urls: [String] = []
        for entry in InputList.parse(text) {
            switch entry {
            case .file(let file):
                promise(!file.urls.isEmpty, "a line without a URL")
                for url in file.urls { check(url) }
                promise(!file.urls[0].hasPrefix("#"), "the comment '\(file.urls[0])'")
                if file.urls.count == 1 { urls.append(file.urls[0]) }
                promise(file.line > last, "line \(file.line) comes after \(last)")
                last = file.line
            case .wrong(let why, let line):
                promise(!why.isEmpty && !why.contains(where: \.isNewline), "'\(why)'")
                promise(line > last, "line \(line) comes after \(last)")
                last = line
            }
        }
        promise(last <= bytes.count + 1, "line \(last) of \(bytes.count) bytes")
        // An empty line in front: at the very start a byte order mark would be dropped.
        let expected = urls.enumerated().map { InputList.Entry.file(.init(urls: [$1], line: $0 + 2)) }
        promise(InputList.parse("\n" + urls.joined(separator: "\n")) == expected, "read back differently")
    }

    private static func check(_ url: String) {
        promise(url.first?.isWhitespace == false && url.last?.isWhitespace == false, "blanks around '\(url)'")
        promise(!url.contains(where: { $0.isNewline || $0 == "\t" }), "two words in '\(url)'")
    }
}
