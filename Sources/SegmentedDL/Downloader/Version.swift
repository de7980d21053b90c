/// The versions of the library and of what it is built on.
public enum Version {
    /// SegmentedDL's own version.
    public static let current = "0.1.0"

    /// libcurl's version as it runs now, which may differ from the one built against.
    public static var libcurl: String { CurlGlobal.version }

    /// OpenSSL's version as it runs now.
    public static var openSSL: String { Digest.libraryVersion }
}
