public import SegmentedDL

/// The operating system and processor of an image, as in `linux/arm64/v8`.
public struct ImagePlatform: Sendable, Hashable {
    /// The operating system, as in Go's `GOOS`.
    public let system: String

    /// The processor, as in Go's `GOARCH`.
    public let architecture: String

    /// The variant of the processor; `nil` for any.
    public let variant: String?

    /// Parses `OS/ARCHITECTURE[/VARIANT]`.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the text is malformed.
    public init(_ text: String) throws(DownloadError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
            throw DownloadError(
                .invalidSetting,
                "'\(Printable.text(text))' is not a platform; write it like linux/amd64 or linux/arm/v7.")
        }
        (system, architecture, variant) = (parts[0], parts[1], parts.count > 2 ? parts[2] : nil)
    }

    /// Returns true if an image for the given platform matches this one.
    func includes(_ other: ImageDescriptor.Platform) -> Bool {
        other.os == system && other.architecture == architecture
            && (variant == nil || other.variant == variant)
    }
}

extension ImagePlatform: CustomStringConvertible {
    /// The parts, separated by slashes.
    public var description: String {
        ([system, architecture] + [variant].compactMap { $0 }).joined(separator: "/")
    }
}
