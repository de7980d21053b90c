internal import SegmentedDL
package import SegmentedDLQueue

/// The number by which clients refer to a download: 64 bits, written as 16 hexadecimal digits, as in aria2.
///
/// For a download added by a client, it is the key in the queue. For others, it is derived from the number in
/// the queue, so that it needs no table and is the same after a restart.
package struct GID: Sendable, Hashable, CustomStringConvertible {
    private let value: UInt64

    package init(of receipt: Receipt) {
        self = receipt.key.flatMap { GID($0) } ?? GID(number: receipt.id)
    }

    /// Parses 16 hexadecimal digits; `nil` for any other text, and for 0, which aria2 refuses.
    package init?(_ text: String) {
        guard text.utf8.count == 16, text.utf8.allSatisfy(Hexadecimal.isDigit),
            let value = UInt64(text, radix: 16),
            value != 0
        else { return nil }
        self.value = value
    }

    package static func random() -> GID { GID(value: .random(in: 1 ... .max)) }

    private init(value: UInt64) {
        self.value = value
    }

    /// The 16 digits, in lower case.
    package var description: String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// True for a prefix of a gid.
    static func isBeginning(_ text: String) -> Bool {
        (1...16).contains(text.utf8.count) && text.utf8.allSatisfy(Hexadecimal.isDigit)
    }

    // MARK: Numbers of the queue

    /// A bijection on 64-bit numbers that scatters neighbours, so that the first digits distinguish
    /// downloads: the finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    init(number: Receipt.ID) {
        var value = UInt64(bitPattern: number.rawValue)
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        self.value = value ^ value >> 31
    }

    /// The number of a download whose gid is derived from it.
    var number: Receipt.ID {
        var value = Self.unshifted(value, 31) &* 0x3196_42b2_d24d_8ec3
        value = Self.unshifted(value, 27) &* 0x96de_1b17_3f11_9089
        return Receipt.ID(rawValue: Int64(bitPattern: Self.unshifted(value, 30)))
    }

    /// Returns the `x` for which `x ^ x >> shift` is `value`.
    private static func unshifted(_ value: UInt64, _ shift: UInt64) -> UInt64 {
        value ^ value >> shift ^ value >> (2 * shift)
    }
}

extension DownloadManager {
    /// Returns the download with a gid.
    package func receipt(_ gid: GID) -> Receipt? {
        if let found = try? receipts(.key(gid.description)).first { return found }
        guard let found = receipt(gid.number), GID(of: found) == gid else { return nil }
        return found
    }
}
