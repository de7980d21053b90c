/// A fault of a server, of the network or of the disk, for one answer of a ``FaultServer``.
///
/// New faults may be added.
public struct Fault: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case status(Int, retryAfter: Duration?)
        case unresolved, refused, timedOut, untrusted
        case lost(after: Int)
        case stalled(after: Int)
        case slow(bytesPerSecond: Int)
        case ignoredRange, wrongRange
        case wrongLength(Int)
        case corrupted(at: Int?)
        case diskFull(after: Int)
    }

    let kind: Kind

    /// The server answers with a status and no file.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The time for Retry-After, sent in whole seconds; `nil` for none.
    /// - Returns: The fault.
    public static func status(_ status: Int, retryAfter: Duration? = nil) -> Fault {
        Fault(kind: .status(status, retryAfter: retryAfter))
    }

    /// The host's name cannot be resolved.
    public static let unresolved = Fault(kind: .unresolved)

    /// The host refuses connections.
    public static let refused = Fault(kind: .refused)

    /// The request times out.
    public static let timedOut = Fault(kind: .timedOut)

    /// TLS fails, for example with an untrusted certificate.
    public static let untrusted = Fault(kind: .untrusted)

    /// The connection breaks in the middle of the body.
    ///
    /// - Parameter bytes: The bytes of the body that precede it.
    /// - Returns: The fault.
    public static func lost(after bytes: Int) -> Fault { Fault(kind: .lost(after: bytes)) }

    /// The body stalls in the middle, until the download stops the transfer.
    ///
    /// - Parameter bytes: The bytes of the body that precede it.
    /// - Returns: The fault.
    public static func stalled(after bytes: Int) -> Fault { Fault(kind: .stalled(after: bytes)) }

    /// The body arrives slowly.
    ///
    /// - Parameter bytesPerSecond: The speed, 1 or more.
    /// - Returns: The fault.
    public static func slow(bytesPerSecond: Int) -> Fault {
        Fault(kind: .slow(bytesPerSecond: bytesPerSecond))
    }

    /// The server answers a range request with the whole file.
    public static let ignoredRange = Fault(kind: .ignoredRange)

    /// The server sends another range than requested.
    public static let wrongRange = Fault(kind: .wrongRange)

    /// Content-Length differs from the body's length: the connection ends before a longer one is reached, and
    /// nothing is read beyond a shorter one.
    ///
    /// - Parameter length: The stated length in bytes.
    /// - Returns: The fault.
    public static func wrongLength(_ length: Int) -> Fault { Fault(kind: .wrongLength(length)) }

    /// The disk of the download is full, as if a write failed with `ENOSPC`: the download fails with code
    /// `diskFull`, or waits for space in a queue with `ManagerConfiguration.reservedSpace`.
    ///
    /// - Parameter bytes: The bytes of the body that the disk has room for.
    /// - Returns: The fault.
    public static func diskFull(after bytes: Int = 0) -> Fault { Fault(kind: .diskFull(after: bytes)) }

    /// The first byte of the body differs from the file's.
    public static let corrupted = Fault(kind: .corrupted(at: nil))

    /// A byte differs from the file's, if the answer contains it.
    ///
    /// - Parameter offset: The offset of the byte in the file, from 0.
    /// - Returns: The fault.
    public static func corrupted(at offset: Int) -> Fault { Fault(kind: .corrupted(at: offset)) }
}
