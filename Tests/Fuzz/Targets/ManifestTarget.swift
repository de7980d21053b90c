extension Target {
    /// A manifest file as it is.
    static let manifest = Target(name: "manifest") { bytes in
        if let manifest = try? ManifestCodec.decode(bytes) { check(manifest) }
    }

    /// A line of JSON and a journal. The first line's SHA-256, and the checks that lines of the journal lack,
    /// are filled in: no random bytes would ever get past them.
    static let manifestJournal = Target(name: "manifest-journal") { bytes in
        var lines = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)[...]
        guard let json = lines.popFirst() else { return }
        let payload = Array(json) + [0x0a]
        let head = Array("segdl-manifest 1 \(Digest.sha256(payload))\n".utf8) + payload
        guard let bare = try? ManifestCodec.decode(head) else { return }
        check(bare)

        let journal = Array(lines.map(checked).joined(separator: [0x0a]))
        guard let whole = try? ManifestCodec.decode(head + journal),
            let torn = try? ManifestCodec.decode(head + journal.prefix(journal.count / 2))
        else { fatalError("a journal makes a manifest unreadable") }
        check(whole)
        check(torn)
        let steps = [bare, torn, whole].map { Manifest.rangeSet($0.written, within: $0.total) }
        promise(steps[0].subtracting(steps[1]).isEmpty, "a journal takes away what the manifest says")
        promise(steps[1].subtracting(steps[2]).isEmpty, "a torn journal claims more than the whole one")
        var others = whole
        others.written = bare.written
        promise(others == bare, "a journal changes more than what was written")
    }

    private static func check(_ manifest: Manifest) {
        promise(manifest.isSound, "an unsound manifest is taken")
        for boot in ["", manifest.boot, manifest.boot + "x"] {
            let trusted = manifest.trusted(boot: boot).ranges
            promise(trusted.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= manifest.total }, "outside")
        }
        do {
            let again = try ManifestCodec.decode(ManifestCodec.encode(manifest))
            promise(again == manifest, "\(manifest) is read back as \(again)")
        } catch {
            fatalError("what is written cannot be read back: \(error)")
        }
    }

    /// `+ 0 10` with its check; any other line as it is.
    private static func checked(_ line: ArraySlice<UInt8>) -> [UInt8] {
        let words = String(decoding: line, as: UTF8.self).split(separator: " ")
        guard words.count == 3, words[0] == "+", let lower = Int64(words[1]), let upper = Int64(words[2]),
            lower <= upper
        else { return Array(line) }
        return ManifestCodec.encode(lower..<upper).dropLast()
    }
}
