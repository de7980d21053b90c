/// A number of bytes in human-readable notation: `1048576`, `512k`, `1.5MiB`, `4G`.
///
/// As in curl and aria2, k, m, g and t are powers of 1024, in either case, with or without `iB` or `B`.
package struct ByteSize: Sendable, Hashable, CustomStringConvertible {
    package let bytes: Int64

    package init(bytes: Int64) {
        self.bytes = bytes
    }

    package init?(argument: String) {
        self.init(
            argument,
            units: ["", "b", "k", "kb", "kib", "m", "mb", "mib", "g", "gb", "gib", "t", "tb", "tib"])
        // Limited so that sums of sizes do not overflow.
        guard bytes < 1 << 62 else { return nil }
    }

    /// Parses a size in aria2's notation: a whole number, optionally with `K` or `M`.
    package static func aria2(_ text: String) -> ByteSize? {
        text.contains(".") ? nil : ByteSize(text, units: ["", "k", "m"])
    }

    private init?(_ text: String, units: [String]) {
        let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
        let unit = text.dropFirst(digits.count).lowercased()
        guard !digits.isEmpty, units.contains(unit) else { return nil }
        let factor: Int64 = 1 << (10 * (unit.first.flatMap { ["k": 1, "m": 2, "g": 3, "t": 4][$0] } ?? 0))
        if let whole = Int64(digits) {
            let (bytes, isTooMuch) = whole.multipliedReportingOverflow(by: factor)
            guard !isTooMuch else { return nil }
            self.bytes = bytes
        } else {
            guard let number = Double(digits) else { return nil }
            let bytes = number * Double(factor)
            // Do not round a fraction of a byte down to 0, which may mean no limit.
            guard bytes < 0x1p62, bytes >= 1 || number == 0 else { return nil }
            self.bytes = Int64(bytes)
        }
    }

    /// The maximum bytes per second; `nil` for no limit.
    package var limit: Int64? { bytes > 0 ? bytes : nil }

    package var description: String {
        var amount = bytes
        var units = ["", "KiB", "MiB", "GiB", "TiB"][...]
        while amount >= 1024, amount % 1024 == 0, units.count > 1 {
            amount /= 1024
            units.removeFirst()
        }
        return "\(amount)\(units.first ?? "")"
    }
}
