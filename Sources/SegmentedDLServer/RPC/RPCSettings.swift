/// How a daemon is called.
package struct RPCSettings: Sendable {
    /// The directories for files.
    package var fence: Fence
    /// The version of segdl.
    package var version: String
    /// The User-Agent of downloads that name none.
    package var userAgent: String
    /// The values of options that all downloads of this daemon share, where they are not aria2's defaults.
    package var fixed: [String: String] = [:]
    /// Returns true for the right secret.
    package var accepts: @Sendable (_ secret: String?) -> Bool
    /// The file with the secret, if callers of this machine alone may learn of it.
    package var secretFile: String?
    /// Begins the end of the daemon, a moment after the answer has gone out.
    package var shutDown: @Sendable () -> Void

    package init(
        fence: Fence, version: String, userAgent: String,
        accepts: @escaping @Sendable (_ secret: String?) -> Bool,
        shutDown: @escaping @Sendable () -> Void
    ) {
        self.fence = fence
        self.version = version
        self.userAgent = userAgent
        self.accepts = accepts
        self.shutDown = shutDown
    }
}
