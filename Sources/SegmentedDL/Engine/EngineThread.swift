import SegmentedDLSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A joinable thread for a blocking loop.
///
/// `@unchecked Sendable`: `pthread_t` is a pointer on Darwin, but it is used only as an identifier.
struct EngineThread: @unchecked Sendable {
    private let thread: pthread_t

    /// Starts a thread that runs `body`.
    ///
    /// - Returns: `nil` if the system cannot create another thread.
    init?(_ body: @escaping @Sendable () -> Void) {
        // Unmanaged: the box passes through C's void pointer, and the new thread takes ownership of the
        // reference.
        let box = Unmanaged.passRetained(Box(body))
        #if canImport(Darwin)
            var created: pthread_t?
            let result = pthread_create(
                &created, nil,
                { context in
                    Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, box.toOpaque())
            guard result == 0, let created else {
                box.release()
                return nil
            }
            thread = created
        #else
            var created = pthread_t()
            let result = pthread_create(
                &created, nil,
                { context in
                    guard let context else { return nil }
                    Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
                    return nil
                }, box.toOpaque())
            guard result == 0 else {
                box.release()
                return nil
            }
            thread = created
        #endif
    }

    /// Waits until the thread has exited, without blocking the caller's thread.
    func join() async {
        await withCheckedContinuation { continuation in
            BlockingThreads.waiting.run { [self] in
                pthread_join(thread, nil)
                continuation.resume()
            }
        }
    }

    /// Lets the system release the thread's resources when it exits. For a thread that is never joined.
    func detach() {
        pthread_detach(thread)
    }

    private final class Box: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }
}
