extension Target {
    static let contentRange = Target(name: "content-range") { bytes in
        let largest = ContentRange.largest
        guard let value = ContentRange(String(decoding: bytes, as: UTF8.self)) else { return }
        switch value {
        case .range(let range, let total):
            promise(0 <= range.lowerBound && range.lowerBound < range.upperBound, "\(range)")
            promise(range.upperBound <= total ?? (largest + 1), "\(range) ends behind \(total ?? -1)")
            promise(total ?? 0 <= largest, "\(total ?? -1) is too long")
            let size = total.map(String.init) ?? "*"
            promise(
                ContentRange("bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)") == value,
                "\(value) is read back differently")
        case .unsatisfied(let total):
            promise(0 <= total && total <= largest, "\(total)")
            promise(ContentRange("bytes */\(total)") == value, "\(value) is read back differently")
        }
    }
}
