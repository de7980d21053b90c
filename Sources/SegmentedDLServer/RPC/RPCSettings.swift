package struct RPCSettings: Sendable {
    /// The directories for files.
    package var fence: Fence
    package var version: String
    /// The default User-Agent of downloads.
    package var userAgent: String
    /// The values of options that are the same for all downloads of this daemon, if they differ from aria2's
    /// defaults.
    package var fixed: [String: String] = [:]
    /// Returns true for the correct secret.
    package var accepts: @Sendable (_ secret: String?) -> Bool
    /// The file that contains the secret; shown only to callers on this machine.
    package var secretFile: String?
    /// Shuts the daemon down, shortly after the response has been sent.
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
