/// The versions of the library and of its dependencies.
public enum Version {
    /// SegmentedDL's own version.
    public static let current = "0.2.0"

    /// The version of the running libcurl, which may differ from the one built against.
    public static var libcurl: String { HTTPLibrary.current.version }

    /// The version of the running OpenSSL.
    public static var openSSL: String { Digest.libraryVersion }
}
