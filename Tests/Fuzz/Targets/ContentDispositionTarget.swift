extension Target {
    /// A header's value. The same text is also taken as a name, and as one that a header quotes.
    static let contentDisposition = Target(name: "content-disposition") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        if let name = ContentDisposition.fileName(text) { checkMade(from: name) }
        checkMade(from: text)

        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        promise(
            isSame(
                ContentDisposition.fileName("attachment; filename=\"\(quoted)\"; x=y"),
                EncodedName.decoded(text)),
            "a quoted name is read back differently")
    }

    private static func checkMade(from received: String) {
        guard let name = SafeFileName.make(received) else { return }
        let bytes = Array(name.utf8)
        promise(!bytes.isEmpty, "an empty name")
        promise(bytes.first != UInt8(ascii: "."), "a hidden file")
        promise(bytes.count <= SafeFileName.longest, "\(bytes.count) bytes")
        promise(
            bytes.allSatisfy {
                $0 >= 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "\\")
            },
            "a separator or a control character")
        promise(isSame(SafeFileName.make(name), name), "a safe name is changed")
        let lowered = bytes.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        for ending in [".part.segdl", ".part.segdl.new", ".part.move"] {
            promise(!lowered.reversed().starts(with: ending.utf8.reversed()), "ends in \(ending)")
        }
    }
}
