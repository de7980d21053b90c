import Dispatch
import SegmentedDL
internal import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLServer
import SegmentedDLSupport
import SystemPackage

/// The run of a daemon: the queue, its socket for other terminals, and the one for clients.
struct Daemon: Sendable {
    /// The time between the response to a shutdown call and the end, as in aria2.
    private static let farewell = Duration.seconds(3)

    private let options: ServeOptions
    let configuration: ManagerConfiguration
    private let source: SecretSource
    private let messages: MessageLog
    private let secret: Lock<Secret>
    private let isNew: Bool
    private let text: String
    private let identity: ServerIdentity?
    let store: DaemonStore
    let fence: Fence
    private let usual: Authorization
    private let ending = AsyncEvent()
    /// Sent when a call has requested a shutdown.
    private let shutdownRequest = AsyncEvent()
    /// The search for digests of files added by callers; none with aria2's command line.
    var proofPolicy = ProofPolicy.none
    /// Called when the daemon is listening.
    var began: @Sendable (Downloads) async -> Void = { _ in }
    /// Stores caps changed by calls for the next start; `nil` to store none.
    var caps: CapKeeper?
    private let service = ServiceManager(environment: ProcessEnvironment.variable)

    /// - Throws: `DownloadError` if the secret, a directory or the options' store cannot be used.
    init(
        options: ServeOptions, configuration: ManagerConfiguration, secret source: SecretSource,
        usual: Authorization, messages: MessageLog
    ) throws {
        self.options = options
        self.source = source
        self.messages = messages
        (text, isNew) = try source.read()
        secret = Lock(source.secret(text))
        identity = try options.identity()
        fence = try Fence(
            ([options.dir] + options.allowDir).map { FilePath($0) }, reserved: configuration.store)
        let store = try DaemonStore(beside: configuration.store)
        self.store = store
        self.usual = usual
        var configuration = configuration
        configuration.authorize = { [fence] receipt, _ in
            if Self.isCallers(receipt) {
                try await DiskThread.run { try fence.check(receipt.destination) }
            }
            if let own = await store.authorization(for: receipt) { return own }
            return usual == Authorization() ? nil : usual
        }
        configuration.pieces = { receipt, _ in await store.attachment(of: GID(of: receipt)).pieces }
        configuration.chooseDestination = { [fence] receipt, response, _ in
            try fence.check(receipt.destination, named: response.suggestedName)
            guard Self.isCallers(receipt) else { return nil }
            return try fence.visiblePath(receipt.destination, named: response.suggestedName)
        }
        configuration.resolvesLocations()
        configuration.onComplete = { action, receipt, _ in
            try await CompletionCommand.run(action, for: receipt)
        }
        self.configuration = configuration
    }

    /// True for a caller's download; others in the queue were added by the owner of this machine.
    private static func isCallers(_ receipt: Receipt) -> Bool { receipt.key.flatMap { GID($0) } != nil }

    /// Runs until a signal or a call ends it.
    ///
    /// - Returns: The exit status.
    func run(with renderer: some ProgressRenderer) async throws -> Int32 {
        try await store.moveEarlierSettings(to: configuration)
        let manager = try await DownloadManager(configuration)
        do {
            try await store.keep(only: Set(manager.receipts.map { GID(of: $0) }))
            let downloads = Downloads(
                manager: manager, store: store, fence: fence, proofPolicy: proofPolicy,
                usual: caps?.options ?? [:],
                usualChanged: { [caps] in await caps?.keep($0) })
            let address = try options.address(
                passed: service.listener, secretLength: secret.withLock { $0.length })
            let mirrors = try await Mirrors(
                downloader: manager.downloader, store: store, fence: fence, usual: usual,
                locate: MirrorLocations(downloader: manager.downloader).locate,
                stayStopped: configuration.onRestore == .stayPaused)
            let settings = rpcSettings(isLocal: address.isLocal)
            let rpc = RPCService(downloads, settings: settings)
            let commands = RemoteCommands(downloads: downloads)
            let interface = Interface(downloads, mirrors, settings: settings) { await commands.answer($0) }
            let server = try await HTTPServer(
                address, Router(access: options.access, rpc: rpc, interface: interface), identity: identity)
            await began(downloads)
            await mirrors.start()
            return try await run(manager, mirrors, rpc, server, renderer)
        } catch {
            try? await manager.shutdown()
            await store.close()
            throw error
        }
    }

    private func run(
        _ manager: DownloadManager, _ mirrors: Mirrors, _ rpc: RPCService, _ server: HTTPServer,
        _ renderer: some ProgressRenderer
    ) async throws -> Int32 {
        let socket = await QueueSocket.listen(for: manager, of: configuration.store, messages: messages)
        let reloading = await Signals.onHangUp { reload() }
        defer { reloading.cancel() }
        let run = QueueRun(
            manager: manager, messages: messages, ends: .when(ending), hints: DaemonFarewell.hints,
            signals: [SIGINT, SIGTERM],
            begin: {
                announce(server.address)
                service.notify("READY=1")
            })
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await socket?.run() }
            group.addTask { try? await server.run() }
            group.addTask { await rpc.run() }
            group.addTask { await service.keepAlive() }
            group.addTask { await endOnRequest() }
            _ = await run.run(with: renderer) {
                service.notify("STOPPING=1")
                await socket?.stop()
                group.cancelAll()
                await group.waitForAll()
                await mirrors.close()
            }
        }
        try await manager.shutdown()
        await store.close()
        // A failed download does not affect the daemon's exit status.
        return 0
    }

    /// Ends the run shortly after a call has requested it, so that the response is delivered.
    private func endOnRequest() async {
        guard await shutdownRequest.wait(), (try? await Task.sleep(for: Self.farewell)) != nil else { return }
        ending.send()
    }

    private func rpcSettings(isLocal: Bool) -> RPCSettings {
        let (secret, shutdownRequest) = (secret, shutdownRequest)
        var settings = RPCSettings(
            fence: fence, version: Version.current, userAgent: configuration.downloads.transport.userAgent,
            accepts: { text in secret.withLock { $0.matches(text) } },
            shutDown: { shutdownRequest.send() })
        if !configuration.downloads.transport.verifiesTLS { settings.fixed["check-certificate"] = "false" }
        settings.secretFile = isLocal ? source.path?.string : nil
        return settings
    }

    private func announce(_ address: ServerAddress) {
        guard let page = address.page(isEncrypted: identity != nil) else {
            return TextOutput.standardOutput.write("Listening at \(address).\n")
        }
        // Logs should not contain the secret.
        let showsSecret = isNew || Terminal.isTerminal(1)
        TextOutput.standardOutput.write("Page: \(page)\(showsSecret ? "#token=\(text)" : "")\n")
        if !showsSecret, let place = source.place {
            TextOutput.standardOutput.write("The page prompts for the secret: \(place).\n")
        }
    }

    private func reload() {
        do {
            let text = try source.read().text
            secret.withLock { $0 = source.secret(text) }
            messages.add("The secret was reloaded.")
        } catch {
            messages.add("\(error.message) The old secret remains in use.")
        }
        do {
            guard let identity else { return }
            try identity.reload()
            messages.add("The certificate was reloaded.")
        } catch {
            messages.add("\(error.message) The old certificate remains in use.")
        }
    }
}

/// Resolves the locations of a daemon's mirrors as `segdl mirror` does.
struct MirrorLocations: Sendable {
    private let resolver: LocationResolver
    private let note: @Sendable (String) -> Void

    /// - Parameter downloader: Its log receives messages about programs that print logins.
    init(downloader: Downloader) {
        let note: @Sendable (String) -> Void = { downloader.note($0) }
        resolver = LocationResolver(note: note)
        self.note = note
    }

    /// Returns the source for a location, with the token from the daemon's environment, or the login stored
    /// by registry tools.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` or `invalidSetting`.
    @Sendable
    func locate(_ location: String) async throws -> LocatedMirror {
        try await DiskThread.run { [resolver, note] in
            let named = try MirrorSourceOption(
                location, format: .auto, base: nil, prefix: nil,
                hub: { () throws(DownloadError) in try resolver.hub() })
            var access = named.origin.map { MirrorAccess(for: $0) } ?? MirrorAccess()
            access.headers = named.headers
            guard case .registry(let image) = named.source else { return LocatedMirror(named.source, access) }
            return LocatedMirror(
                named.source, access, login: RegistryAccess.login(for: image.location, nil, note: note))
        }
    }
}
