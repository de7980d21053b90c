import ArgumentParser
import SegmentedDL
import SegmentedDLQueue
import SegmentedDLServer

struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the queue as a daemon with a web page, for aria2 front-ends.",
        discussion: """
            Open the address that it prints. Front-ends call /jsonrpc with aria2's protocol and the secret as \
            token. The other segdl queue commands can be used at the same time. INT and TERM end it with checkpoints; the next \
            start resumes.

            Example: segdl serve -d ~/Downloads
            """)

    @OptionGroup var options: ServeOptions
    @OptionGroup var location: QueueLocation

    @Flag(help: "Pause the downloads that were running when the queue last ended.")
    var stayPaused = false

    @OptionGroup var proof: ProofOptions
    @OptionGroup var storage: StorageOptions

    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Connections") var transport: TransportOptions
    @OptionGroup(title: "Output") var report: ReportOptions

    func run() async throws {
        Signals.ignoreFailedWrites()
        try await end {
            let session = Session(limits: limits, transport: transport, report: report)
            let queue = try location.path()
            let source = SecretSource(
                option: options.rpcSecret, file: options.rpcSecretFile,
                environment: ProcessEnvironment.variable("SEGDL_RPC_SECRET"), queue: queue)
            var configuration = ManagerConfiguration(store: queue)
            configuration.downloads = session.queued(transport)
            storage.apply(to: &configuration.downloads)
            configuration.onRestore = stayPaused ? .stayPaused : .resume
            configuration.receiptsInMemory = .max
            let usual = Authorization(headers: transport.headers, credentials: transport.credentials)
            let caps = await CapKeeper(for: configuration, messages: session.messages)
            caps.apply(to: &configuration)
            var daemon = try Daemon(
                options: options, configuration: configuration, secret: source, usual: usual,
                messages: session.messages)
            daemon.caps = caps
            daemon.proofPolicy = proof.policy
            return try await daemon.run(with: report.makeRenderer())
        }
    }
}
