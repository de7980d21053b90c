public import ArgumentParser
public import SegmentedDL

/// The value of `--segments`: a number, or `auto`.
struct SegmentOption: Sendable, ExpressibleByArgument, CustomStringConvertible {
    let count: SegmentCount

    static let automatic = SegmentOption(count: .automatic)

    init(count: SegmentCount) {
        self.count = count
    }

    init?(argument: String) {
        if argument == "auto" {
            count = .automatic
        } else if let number = Int(argument), number >= 1 {
            count = .fixed(number)
        } else {
            return nil
        }
    }

    /// Returns the number for an option's value.
    ///
    /// - Throws: `ValidationError` with the valid values.
    static func parsed(_ text: String) throws -> SegmentOption {
        guard let option = SegmentOption(argument: text) else {
            let hint = text.hasPrefix("-") ? " curl's -s is -q here." : ""
            throw ValidationError("write a number, 1 or more, or auto.\(hint)")
        }
        return option
    }

    var description: String {
        switch count {
        case .automatic: "auto"
        case .fixed(let number): "\(number)"
        }
    }
}

/// A number, or `auto`.
extension FileCount: ExpressibleByArgument, CustomStringConvertible {
    /// Creates the count for an option's value; `nil` for an invalid one.
    public init?(argument: String) {
        if argument == "auto" {
            self = .automatic
        } else if let number = Int(argument) {
            self = .fixed(number)
        } else {
            return nil
        }
    }

    /// Returns the number for an option's value.
    ///
    /// - Throws: `ValidationError` with the valid values.
    static func parsed(_ text: String) throws -> FileCount {
        guard let count = FileCount(argument: text) else {
            throw ValidationError("write a number, 1 or more, or auto.")
        }
        return count
    }

    /// The value for an option.
    public var description: String { fixed.map(String.init) ?? "auto" }
}

extension QueueOrder: ExpressibleByArgument {}
extension FileNaming: ExpressibleByArgument {}
extension DownloadState: ExpressibleByArgument {}
extension ExistingFilePolicy: ExpressibleByArgument {}

extension ProofPolicy.Level: ExpressibleByArgument {}
extension Durability: ExpressibleByArgument {}

/// Only hashes, because printed digests form a list in which they are identified by length.
extension Checksum.Algorithm: ExpressibleByArgument {
    /// The hash of that name; `nil` for a CRC.
    public init?(argument: String) {
        guard let named = Self(rawValue: argument), Self.hashes.contains(named) else { return nil }
        self = named
    }

    /// The names that help and completions show.
    public static var allValueStrings: [String] { hashes.map(\.rawValue) }
}
