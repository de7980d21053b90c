/// A flag that is raised once and remains so. Copies share it.
public struct OnceFlag: Sendable {
    @usableFromInline let flag = Lock(false)

    /// Creates a flag that is not raised.
    @inlinable
    public init() {}

    /// True once `raise` was called.
    @inlinable public var isRaised: Bool { flag.withLock { $0 } }

    /// Raises the flag.
    ///
    /// - Returns: True for the first caller only, which then does the work that must be done once.
    @inlinable
    @discardableResult
    public func raise() -> Bool {
        flag.withLock { isRaised in
            defer { isRaised = true }
            return !isRaised
        }
    }
}
