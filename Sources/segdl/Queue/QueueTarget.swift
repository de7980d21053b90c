import ArgumentParser

/// The queue that a command applies to: one on this machine, or that of a daemon.
struct QueueTarget: ParsableArguments {
    @OptionGroup var location: QueueLocation

    @Option(
        help: ArgumentHelp(
            "The queue of a segdl serve, given by the address of its page (default: $SEGDL_REMOTE).",
            valueName: "url"))
    var remote: String?

    @Option(
        help: ArgumentHelp(
            "A file whose first line is the daemon's secret (default: $SEGDL_RPC_SECRET).",
            valueName: "file"),
        completion: .file())
    var remoteSecretFile: String?

    @Option(
        help: ArgumentHelp(
            "Certificate authorities to trust for the daemon, PEM; may be its own certificate (default: as for segdl fetch).",
            valueName: "file"), completion: .file())
    var cacert: String?

    func validate() throws {
        if remote != nil, location.file != nil {
            throw ValidationError("--queue and --remote cannot be combined.")
        }
    }

    /// True if the files are on another machine.
    var isRemote: Bool { address != nil }

    private var address: String? {
        if let remote { return remote }
        return location.usualRemote
    }

    private func client() throws -> any QueueClient {
        guard let address else { return LocalQueue(store: try location.path()) }
        return try RemoteQueue(
            address, secretFile: remoteSecretFile, authorities: cacert,
            environment: ProcessEnvironment.variable)
    }

    /// Runs `body` with the queue. An error is reported and ends the command, as does a signal, which also
    /// withdraws a command that no process has accepted.
    func withClient(_ body: @escaping @Sendable (any QueueClient) async throws -> Void) async throws {
        try await endingOnErrors {
            let client = try client()
            try await Signals.interrupting { try await body(client) }
        }
    }
}
