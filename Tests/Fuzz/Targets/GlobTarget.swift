extension Target {
    /// Two lines: a pattern and a path.
    static let glob = Target(name: "glob") { bytes in
        let lines = bytes.split(separator: 0x0a, maxSplits: 1, omittingEmptySubsequences: false)
        guard lines.count == 2, let path = try? RelativePath(String(decoding: lines[1], as: UTF8.self)) else {
            return
        }
        var literal = ""
        for scalar in path.text.unicodeScalars {
            if scalar != "/" { literal += "\\" }
            literal.unicodeScalars.append(scalar)
        }
        promise((try? Glob(literal))?.matches(path) == true, "'\(literal)' does not match itself")
        guard let glob = try? Glob(String(decoding: lines[0], as: UTF8.self)) else { return }
        var directory = path.parent
        while let current = directory {
            let isReached =
                glob.covers(current.components, isDirectory: true)
                || glob.canMatch(below: current.components)
            promise(
                isReached || !glob.covers(path), "'\(glob)' covers '\(path)', but nothing in '\(current)'")
            directory = current.parent
        }
    }

    static let link = Target(name: "link") { bytes in
        for link in LinkHeader.parse(String(decoding: bytes, as: UTF8.self)) {
            promise(!link.target.utf8.contains(UInt8(ascii: ">")), "'\(link.target)'")
            promise(LinkHeader.parse("<\(link.target)>").first?.target == link.target, "'\(link.target)'")
            for (name, value) in link.parameters {
                promise(isSame(name, name.lowercased()), "the parameter '\(name)'")
                var quoted = ""
                for scalar in value.unicodeScalars {
                    if scalar == "\"" || scalar == "\\" { quoted += "\\" }
                    quoted.unicodeScalars.append(scalar)
                }
                promise(
                    isSame(LinkHeader.parse("<x>;\(name)=\"\(quoted)\"").first?.parameters[name], value),
                    "'\(name)' is read back differently")
            }
        }
    }
}
