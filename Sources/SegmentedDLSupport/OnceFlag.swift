/// A flag that is raised once and stays up. Copies share it.
public struct OnceFlag: Sendable {
    @usableFromInline let flag = Lock(false)

    /// A flag that is not raised.
    @inlinable
    public init() {}

    /// True once `raise` was called.
    @inlinable public var isRaised: Bool { flag.withLock { $0 } }

    /// Raises the flag.
    ///
    /// - Returns: True for the first caller, so that only that one does what must be done once.
    @inlinable
    @discardableResult
    public func raise() -> Bool {
        flag.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
