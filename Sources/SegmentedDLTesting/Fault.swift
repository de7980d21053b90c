/// A fault of a server or of the way to it, for one answer of a ``FaultServer``.
public enum Fault: Sendable, Hashable {
    /// The server answers with this status and no file, and with Retry-After, in whole seconds, if it is
    /// given.
    case status(Int, retryAfter: Duration? = nil)
    /// The host's name cannot be resolved.
    case unresolved
    /// The host refuses connections.
    case refused
    /// No answer comes in time.
    case timedOut
    /// The connection breaks after so many bytes of the body.
    case lost(after: Int)
    /// After so many bytes of the body nothing more comes, until the download stops the transfer.
    case stalled(after: Int)
    /// The server sends the whole file where a range was asked for.
    case ignoredRange
    /// The server sends another range than the one that was asked for.
    case wrongRange
    /// The first byte of the body is another one than the file's.
    case corrupted
}
