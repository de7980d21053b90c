import SegmentedDL
import SystemPackage

/// Lists of digests that segdl cannot check. They must not be taken for files to be hashed.
enum ForeignList {
    /// The number of bytes to examine.
    private static let sample = 65_536
    /// The minimum number of digits of a digest after an algorithm, and alone: shorter numbers also occur in
    /// other text.
    private static let (fewestTaggedDigits, fewestDigits) = (16, 32)
    private static let advice = "check it with the program that wrote it, or use a list written by sha256sum"

    /// Returns why a list cannot be checked; `nil` if it can, or for any other file.
    static func reason(_ bytes: [UInt8], named path: FilePath) -> String? {
        if ByteOrderMark.isUTF16(bytes) {
            return Look(utf8(ofUTF16: bytes)).isList ? "it is a list in UTF-16; save it as UTF-8" : nil
        }
        let look = Look(bytes)
        if look.hasUntaggedDigest, let (digests, program) = kind(named: path) {
            return
                "according to its name it contains \(digests) digests, which \(program) -c checks and segdl does not"
        }
        guard look.entries == 0, look.foreign * 2 > look.strange else { return nil }
        guard let algorithm = look.algorithm else {
            return "it contains digests of an unknown kind; \(advice)"
        }
        if isKnown(algorithm) { return "its \(algorithm) digests are abbreviated; \(advice)" }
        let program = program(for: algorithm)
        return "it contains \(algorithm) digests, which "
            + (program.map { "\($0) -c checks and segdl does not" } ?? "segdl does not know; \(advice)")
    }

    /// Returns the kind of digests in lines without an algorithm, according to the name of their list, and
    /// the program that checks them. Their length is that of other digests.
    private static func kind(named path: FilePath) -> (digests: String, program: String)? {
        let name = (path.lastComponent?.string ?? "").lowercased()
        let last = name.split(whereSeparator: { ".-_".contains($0) }).last { $0 != "txt" } ?? ""
        switch last {
        case "b2", "b2sum", "b2sums", "blake2", "blake2b", "blake2sums": return ("BLAKE2", "b2sum")
        case "b3", "b3sum", "b3sums", "blake3", "blake3sums": return ("BLAKE3", "b3sum")
        default: return nil
        }
    }

    private static func program(for algorithm: String) -> String? {
        let name = algorithm.lowercased()
        if name == "blake2b" || name.hasPrefix("blake2b-") { return "b2sum" }
        return name == "blake3" ? "b3sum" : nil
    }

    private static func isKnown(_ algorithm: String) -> Bool {
        Checksum.Algorithm(rawValue: algorithm.lowercased()) != nil
    }

    private static func utf8(ofUTF16 bytes: [UInt8]) -> [UInt8] {
        let high = bytes.first == 0xfe ? 0 : 1
        let units = stride(from: 2, to: min(bytes.count, 2 * sample) - 1, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    /// The first lines of a file, counted by kind.
    private struct Look {
        /// The number of lines that can be checked.
        private(set) var entries = 0
        /// The number of lines that cannot.
        private(set) var strange = 0
        /// The number of lines in unknown formats that contain digests.
        private(set) var foreign = 0
        /// The algorithm in the first one.
        private(set) var algorithm: String?
        private(set) var hasUntaggedDigest = false

        init(_ bytes: [UInt8]) {
            var parser = ChecksumList.LineParser()
            for line in bytes.prefix(sample).split(separator: UInt8(ascii: "\n")) {
                let text = InputList.trimmed(String(decoding: line, as: UTF8.self)[...])
                let tag = ForeignList.tag(text)
                let digits = tag == nil ? ForeignList.digits(text) : 0
                switch parser.take(line.last == UInt8(ascii: "\r") ? line.dropLast() : line) {
                case .nothing: continue
                case .entry: entries += 1
                case .strange:
                    strange += 1
                    // A number alone could be anything.
                    let name = digits > 0 ? text.dropFirst(digits) : ""
                    foreign += tag != nil || name.hasPrefix("  ") || name.hasPrefix(" *") ? 1 : 0
                    algorithm = algorithm ?? tag
                }
                hasUntaggedDigest = hasUntaggedDigest || digits > 0
            }
        }

        var isList: Bool { entries > 0 || foreign * 2 > strange }
    }

    /// Returns the algorithm of a line in the format of BSD's tools and OpenSSL; `nil` for any other line.
    private static func tag(_ line: String) -> String? {
        guard let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"), open < close else {
            return nil
        }
        let algorithm = InputList.trimmed(line[..<open])
        let rest = InputList.trimmed(line[line.index(after: close)...])
        guard !algorithm.isEmpty, rest.hasPrefix("="),
            algorithm.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-_/".contains($0)) })
        else { return nil }
        let digest = InputList.trimmed(rest.dropFirst())
        guard digest.count >= fewestTaggedDigits else { return nil }
        let isDigest = digest.allSatisfy(isHexadecimal) || isKnown(algorithm) && !digest.contains(" ")
        return isDigest ? algorithm : nil
    }

    /// Returns the length of the digest at the start of a line; 0 for any other line.
    private static func digits(_ line: String) -> Int {
        let word = line.prefix { !$0.isWhitespace }
        return word.count >= fewestDigits && word.allSatisfy(isHexadecimal) ? word.count : 0
    }

    private static func isHexadecimal(_ character: Character) -> Bool {
        character.isASCII && character.isHexDigit
    }
}
