/// The range in a request's Range header, for a file of a given size.
enum RequestedRange: Equatable {
    /// Also for ranges that a server may ignore: other units, several ranges, invalid syntax.
    case whole
    case part(Range<Int64>)
    case unsatisfiable(start: Int64)

    init(header: String?, size: Int64) {
        guard let header, header.lowercased().hasPrefix("bytes=") else {
            self = .whole
            return
        }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
            self = .whole
            return
        }
        switch (first, last) {
        case (nil, nil):
            self = .whole
        case (nil, let suffix?):
            let start = max(0, size - suffix)
            self = start < size ? .part(start..<size) : .unsatisfiable(start: start)
        case (let start?, let last):
            if let last, last < start {
                self = .whole
            } else if start >= size {
                self = .unsatisfiable(start: start)
            } else {
                self = .part(start..<min(last ?? size - 1, size - 1) + 1)
            }
        }
    }

    /// Segments after the first one; many faults exclude the first request.
    var isLater: Bool {
        switch self {
        case .whole: false
        case .part(let range): range.lowerBound > 0
        case .unsatisfiable(let start): start > 0
        }
    }

    /// The outer optional is for invalid syntax, the inner one for a missing number.
    private static func number(_ text: Substring) -> Int64?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return .some(Int64(text) ?? .max)
    }
}
