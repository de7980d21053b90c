import CSegSystem
import SegmentedDL

enum ProcessArguments {
    /// The name by which the command was called.
    static var name: String { all.first ?? "" }

    /// The arguments after the command's name.
    static var withoutName: [String] { Array(all.dropFirst()) }

    /// Swift's runtime searches for them in the memory before the environment, within bounds from
    /// `/proc/self/maps`. It finds none if `/proc` is missing, as in a bare chroot, or if a preloaded library
    /// has changed the environment. The C library always provides them.
    private static let all: [String] = {
        guard let texts else { return CommandLine.arguments }
        return texts.map { text(of: bytes(of: $0)) ?? String(cString: $0) }
    }()

    /// The first argument that is not UTF-8: with its bytes replaced it would name another file.
    static var unreadable: String? {
        texts?.first { text(of: bytes(of: $0)) == nil }.map { String(cString: $0) }
    }

    /// Returns an argument as text; `nil` if it is not UTF-8. In a URL, such bytes are percent-encoded, as in
    /// a list.
    static func text(of bytes: [UInt8]) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let text = PercentEncoding.text(bytes)
        // An escape before the scheme would change a name.
        guard let scheme = text.firstRange(of: "://"),
            text[..<scheme.lowerBound].utf8.allSatisfy({ $0 < 0x80 }),
            !text[..<scheme.lowerBound].contains("%")
        else { return nil }
        return text
    }

    private static func bytes(of text: UnsafePointer<CChar>) -> [UInt8] {
        Array(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    private static var texts: [UnsafePointer<CChar>]? {
        var count: Int32 = 0
        guard let texts = seg_arguments(&count) else { return nil }
        return (0..<Int(count)).compactMap { texts[$0] }
    }
}
