/// Parses URLs that all parsers read in the same way: nothing is percent-encoded, no part is missing, and no
/// component is `..`.
///
/// Nearly all URLs of a mirror are simple, and each is parsed several times. All other URLs, and their
/// errors, are left to libcurl, which takes four times as long.
enum SimpleURL {
    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// - Returns: The same source that libcurl would return; `nil` if the URL is not simple.
    static func parse(_ text: String, relativeTo base: Source?) -> Source? {
        var text = text
        return text.withUTF8 { bytes in
            for (scheme, port) in [("http", 80), ("https", 443)]
            where bytes.starts(with: scheme.utf8)
                && bytes.dropFirst(scheme.utf8.count).starts(with: "://".utf8)
            {
                return absolute(bytes[...], scheme, usualPort: port)
            }
            return base.flatMap { relative(bytes[...], to: $0) }
        }
    }

    private static func absolute(_ bytes: Bytes, _ scheme: String, usualPort: Int) -> Source? {
        let rest = bytes.dropFirst(scheme.utf8.count + 3)
        guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), isPlainPath(rest[slash...]) else {
            return nil
        }
        let parts = rest[..<slash].split(
            separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
        guard isPlainHost(parts[0]) else { return nil }
        var port = usualPort
        if parts.count == 2 {
            guard let number = number(parts[1], atMost: 65535), number > 0 else { return nil }
            port = number
        }
        return Source(
            url: String(decoding: bytes, as: UTF8.self),
            origin: Origin(scheme: scheme, host: String(decoding: parts[0], as: UTF8.self), port: port),
            lastPathComponent: lastComponent(of: rest), credentials: nil)
    }

    private static func relative(_ bytes: Bytes, to base: Source) -> Source? {
        let path = base.url.utf8.dropFirst(base.origin.scheme.utf8.count + 3)
        guard let first = bytes.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "."),
            isPlainPath(bytes), isPlainBase(path), let slash = path.lastIndex(of: UInt8(ascii: "/"))
        else { return nil }
        return Source(
            url: base.url[...slash] + String(decoding: bytes, as: UTF8.self), origin: base.origin,
            lastPathComponent: lastComponent(of: bytes), credentials: nil)
    }

    /// True if the path has no query and no empty component. libcurl 7.88 drops empty components in some
    /// cases.
    private static func isPlainBase(_ path: Substring.UTF8View) -> Bool {
        var last = UInt8(0)
        for byte in path {
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "/") && last == byte { return false }
            last = byte
        }
        return true
    }

    private static func lastComponent(of bytes: Bytes) -> String {
        let start = bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? bytes.startIndex
        return String(decoding: bytes[start...], as: UTF8.self)
    }

    /// True if the path consists of unreserved characters and slashes (RFC 3986, section 2.3), and no
    /// component begins with a dot.
    private static func isPlainPath(_ bytes: Bytes) -> Bool {
        var last = UInt8(0)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "~"),
                UInt8(ascii: "/"):
                break
            case UInt8(ascii: ".") where last != UInt8(ascii: "/"):
                break
            default:
                return false
            }
            last = byte
        }
        return true
    }

    /// True for a name in lower case, or four numbers in canonical form. Some parsers also interpret other
    /// numbers as addresses.
    private static func isPlainHost(_ bytes: Bytes) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = labels.last?.first else { return false }
        guard isLetter(first) else {
            return labels.count == 4 && labels.allSatisfy { number($0, atMost: 255) != nil }
        }
        return labels.allSatisfy { label in
            label.first != UInt8(ascii: "-") && !label.isEmpty
                && label.allSatisfy { isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
        }
    }

    /// Returns a decimal number without leading zeros.
    private static func number(_ bytes: Bytes, atMost most: Int) -> Int? {
        guard (1...5).contains(bytes.count), bytes.allSatisfy(isDigit),
            bytes.first != UInt8(ascii: "0") || bytes.count == 1
        else { return nil }
        let number = bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return number <= most ? number : nil
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
