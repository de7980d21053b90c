/// A flag that can be raised once. Copies share it.
public struct OnceFlag: Sendable {
    @usableFromInline let flag = Lock(false)

    /// Creates a flag that has not been raised.
    @inlinable
    public init() {}

    /// True once `raise` was called.
    @inlinable public var isRaised: Bool { flag.withLock { $0 } }

    /// Raises the flag.
    ///
    /// - Returns: True only for the first caller, which then performs the one-time work.
    @inlinable
    @discardableResult
    public func raise() -> Bool {
        flag.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
