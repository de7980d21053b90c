import ArgumentParser
import SegmentedDL
import SegmentedDLOptions
import SegmentedDLQueue
import SegmentedDLServer
import SystemPackage

/// aria2's `--enable-rpc`: the daemon of `segdl serve`, with the options and downloads of aria2's command
/// line.
struct Aria2Serving: Sendable {
    private let plan: Aria2Plan
    private let settings: Aria2Daemon

    /// - Throws: `Aria2Failure` for options that the daemon does not have.
    init(_ plan: Aria2Plan) throws(Aria2Failure) {
        self.plan = plan
        settings = Aria2Daemon(plan.values)
        if settings.isSecure, settings.certificate == nil || settings.privateKey == nil {
            throw Aria2Failure(
                message: "--rpc-secure needs --rpc-certificate and --rpc-private-key, both in PEM.")
        }
        if !Aria2Hooks(plan.values).isEmpty {
            throw Aria2Failure(
                message:
                    "With --enable-rpc, segdl does not start the programs of --on-download-…; use notifications instead."
            )
        }
    }

    /// Serves until a signal or a call ends it.
    ///
    /// - Returns: The exit status.
    func run() async throws -> Int32 {
        let options = try ServeOptions.parse(arguments)
        // One queue per port, because several programs may each start their own aria2c.
        let usual = try QueueLocation.parse([]).path()
        let queue = usual.removingLastComponent().appending("aria2-\(settings.port).sqlite")
        let messages = MessageLog()
        for remark in plan.remarks where remark.level == .error { messages.add(remark.text) }
        var configuration = ManagerConfiguration(store: queue)
        configuration.downloads = plan.configuration
        configuration.downloads.limits = limits
        configuration.receiptsInMemory = .max
        var daemon = try Daemon(
            options: options, configuration: configuration,
            secret: settings.secret.map { .given($0) } ?? .none, usual: Authorization(), messages: messages)
        let (downloads, given) = (plan.downloads, plan.values.without(["dir"]).given)
        daemon.began = { queue in
            do {
                try await queue.setUsual(ofCommandLine: given)
            } catch {
                messages.add("The options of the command line do not apply to calls: \(error)")
            }
            for download in downloads {
                var options = download.values.given
                options["gid"] = [download.gid.description]
                do {
                    try await queue.add(download.uris, options)
                } catch {
                    messages.add("\(download.shownURI) was not added: \(error)")
                }
            }
        }
        let isQuiet = plan.values.flag("quiet")
        return isQuiet
            ? try await daemon.run(with: QuietRenderer(output: .standardError, ascii: false))
            : try await daemon.run(with: PlainRenderer(output: .standardError, ascii: false))
    }

    /// Calls set the connections of each download later, up to aria2's maximum per server.
    private var limits: Limits {
        var limits = Limits()
        limits.activeFiles = .fixed(plan.values.number("max-concurrent-downloads"))
        limits.connections = 64
        limits.connectionsPerHost = 16
        limits.rate = plan.values.limit("max-overall-download-limit")
        return limits
    }

    private var arguments: [String] {
        let host = settings.listensToAll ? "0.0.0.0" : "127.0.0.1"
        var arguments = ["--listen", "\(host):\(settings.port)"]
        if let directory = plan.values.nonEmpty("dir") { arguments += ["--dir", directory] }
        if settings.isSecure, let certificate = settings.certificate, let key = settings.privateKey {
            arguments += ["--certificate", certificate, "--private-key", key]
        }
        if settings.allowsAllOrigins { arguments.append("--rpc-allow-origin-all") }
        return arguments
    }
}
