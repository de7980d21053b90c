import SegmentedDLSupport

/// Recognizes servers that refuse ranges with a status that usually means something else: some refuse every
/// range, some only long or open-ended ones.
enum RangeRefusal {
    /// The lengths in bytes to try after a longer range was refused.
    static let lengths: [Int64] = [1024 * 1024, 64 * 1024]

    /// Returns true if the range may have caused a status: a 4xx other than those about credentials, the file
    /// itself, or the host's limit, a 2xx without a file, a 3xx without a target, such as 304 without a
    /// condition from some caches, or a status that HTTP does not define, such as 999.
    static func isPossible(_ status: Int) -> Bool {
        switch status {
        case 401, 404, 407, 408, 410, 416, 421, 425, 429, 451: false
        default: (200...499).contains(status) || status >= 600
        }
    }

    /// Returns true if a response may be a refusal of the requested range rather than the file.
    static func isPossible(_ verdict: ResponseVerdict) -> Bool {
        switch verdict {
        case .refused(let status), .gone(let status, _): isPossible(status)
        case .unchanged: true
        default: false
        }
    }

    /// Returns the length to request after a response to a longer range; `nil` if that is not a refusal of
    /// the range, or no shorter one is left.
    ///
    /// - Parameters:
    ///   - length: The length that was requested.
    ///   - total: The file's length in bytes.
    static func shorter(than length: Int64, after verdict: ResponseVerdict, total: Int64?) -> Int64? {
        let isRefused =
            switch verdict {
            // The range is within the file.
            case .unsatisfiable(let stated): stated == nil || stated == total
            default: isPossible(verdict)
            }
        return isRefused ? lengths.first { $0 < length } : nil
    }
}

/// The longest range that a source is known to serve.
final class RangeCap: Sendable {
    private let bytes = Lock<Int64?>(nil)

    /// `nil` until a range is refused.
    var value: Int64? { bytes.withLock { $0 } }

    func lower(to length: Int64) {
        bytes.withLock { $0 = min($0 ?? .max, length) }
    }
}
