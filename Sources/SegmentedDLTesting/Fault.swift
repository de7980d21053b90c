/// A fault of a server, the network or the disk, for one response of a ``FaultServer``.
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

    /// The server responds with a status and no file.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - retryAfter: The time for Retry-After, which the download waits; sent in whole seconds, rounded up.
    ///     `nil` for none.
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

    /// The connection is lost in the middle of the body.
    ///
    /// - Parameter bytes: The number of body bytes before it.
    /// - Returns: The fault.
    public static func lost(after bytes: Int) -> Fault { Fault(kind: .lost(after: bytes)) }

    /// The body stalls in the middle, until the download stops the transfer.
    ///
    /// - Parameter bytes: The number of body bytes before it.
    /// - Returns: The fault.
    public static func stalled(after bytes: Int) -> Fault { Fault(kind: .stalled(after: bytes)) }

    /// The body arrives slowly.
    ///
    /// - Parameter bytesPerSecond: The speed; less than 1 counts as 1.
    /// - Returns: The fault.
    public static func slow(bytesPerSecond: Int) -> Fault {
        Fault(kind: .slow(bytesPerSecond: bytesPerSecond))
    }

    /// The server responds to a range request with the whole file.
    public static let ignoredRange = Fault(kind: .ignoredRange)

    /// The server sends a range other than the requested one.
    public static let wrongRange = Fault(kind: .wrongRange)

    /// Content-Length differs from the body's length: if it is longer, the connection is closed early; if it
    /// is shorter, nothing is read beyond it.
    ///
    /// - Parameter length: The announced length in bytes.
    /// - Returns: The fault.
    public static func wrongLength(_ length: Int) -> Fault { Fault(kind: .wrongLength(length)) }

    /// The disk of the download is full, as if a write failed with `ENOSPC`: the download fails with code
    /// `diskFull`, or waits for space in a queue with `ManagerConfiguration.reservedSpace`.
    ///
    /// - Parameter bytes: The number of body bytes for which the disk has space.
    /// - Returns: The fault.
    public static func diskFull(after bytes: Int = 0) -> Fault { Fault(kind: .diskFull(after: bytes)) }

    /// The first byte of the body differs from the file's.
    public static let corrupted = Fault(kind: .corrupted(at: nil))

    /// A byte differs from the file's, if the response contains it.
    ///
    /// - Parameter offset: The offset of the byte in the file, from 0. It must be less than the file's
    ///   length, because a test whose fault has no effect would pass; otherwise the process ends.
    /// - Returns: The fault.
    public static func corrupted(at offset: Int) -> Fault {
        precondition(offset >= 0, "The offset of a corrupted byte is negative (\(offset)).")
        return Fault(kind: .corrupted(at: offset))
    }
}
