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
        // A part of a byte is not 0, which may mean no limit.
        guard bytes < 0x1p62, bytes >= 1 || number == 0 else { return nil }
        self.bytes = Int64(bytes)
    }

    /// Returns the rate that an option's value names.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func rate(_ text: String) throws -> ByteSize {
        guard let rate = ByteSize(argument: text) else {
            throw ValidationError(
                "write bytes per second, 1 or more, such as 500000, 500k or 1.5MiB; 0 is no limit.")
        }
        return rate
    }

    /// Returns the size that an option's value names.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func size(_ text: String) throws -> ByteSize {
        guard let size = ByteSize(argument: text) else {
            throw ValidationError("write a number of bytes, such as 65536, 512k or 1.5MiB.")
        }
        return size
    }

    /// The bytes per second that are allowed; `nil` for no limit.
    var limit: Int64? { bytes > 0 ? bytes : nil }

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
        var amount = bytes
        var units = ["", "KiB", "MiB", "GiB", "TiB"][...]
        while amount >= 1024, amount % 1024 == 0, units.count > 1 {
            amount /= 1024
            units.removeFirst()
        }
        return "\(amount)\(units.first ?? "")"
    }
}
