#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The date, for records that outlive the process.
package enum WallClock {
    /// Returns seconds since 1970.
    package static func seconds() -> Int64 {
        Int64(time(nil))
    }
}
