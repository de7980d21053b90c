#if canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#else
    public import Darwin
#endif

/// A value that only one thread at a time can access.
///
/// It has the interface of the standard library's `Mutex`, but uses a POSIX mutex: Thread Sanitizer knows
/// those on every system, but not the standard library's `Mutex` on Linux, for which it reports every access
/// as a race.
///
/// Inlined into its users, because a generic function in another module would look up its types at each call.
///
/// `@unchecked Sendable`: the value is accessed only within `withLock`.
public final class Lock<Value>: @unchecked Sendable {
    @usableFromInline var value: Value
    // On the heap, because a POSIX mutex must not be moved.
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

    /// Creates a lock around an initial value.
    @inlinable
    public init(_ value: sending Value) {
        self.value = value
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Runs `body` with the value, exclusively. `body` must not acquire the same lock again.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
