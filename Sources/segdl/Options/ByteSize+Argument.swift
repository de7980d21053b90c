import ArgumentParser
import SegmentedDLOptions

extension ByteSize: ExpressibleByArgument {
    /// Returns the rate for an option's value.
    ///
    /// - Throws: `ValidationError` with the valid values.
    static func rate(_ text: String) throws -> ByteSize {
        guard let rate = ByteSize(argument: text) else {
            throw ValidationError(
                "write bytes per second, 1 or more, such as 500000, 500k or 1.5MiB; 0 is no limit.")
        }
        return rate
    }

    /// Returns the size for an option's value.
    ///
    /// - Throws: `ValidationError` with the valid values.
    static func size(_ text: String) throws -> ByteSize {
        guard let size = ByteSize(argument: text) else {
            throw ValidationError("write a number of bytes, such as 65536, 512k or 1.5MiB.")
        }
        return size
    }
}
