import ArgumentParser

/// A number of bytes as people write it: `1048576`, `512k`, `1.5MiB`, `4G`.
///
/// As with curl and aria2, k, m, g and t are powers of 1024, in either case, with or without `iB` or `B`.
struct ByteSize: Sendable, Hashable, ExpressibleByArgument, CustomStringConvertible {
    let bytes: Int64

    init(bytes: Int64) {
        self.bytes = bytes
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        guard let exponent = Self.exponent(of: argument.dropFirst(digits.count).lowercased()),
            let number = Double(digits), number.isFinite
        else { return nil }
        let bytes = number * Double(1 << (10 * exponent))
        guard bytes < 0x1p62 else { return nil }
        self.bytes = Int64(bytes)
    }

    private static func exponent(of unit: String) -> Int? {
        switch unit {
        case "", "b": 0
        case "k", "kb", "kib": 1
        case "m", "mb", "mib": 2
        case "g", "gb", "gib": 3
        case "t", "tb", "tib": 4
        default: nil
        }
    }

    var description: String {
        for (exponent, unit) in [(4, "TiB"), (3, "GiB"), (2, "MiB"), (1, "KiB")] {
            let size = Int64(1) << (10 * exponent)
            if bytes >= size, bytes % size == 0 { return "\(bytes / size)\(unit)" }
        }
        return "\(bytes)"
    }
}
