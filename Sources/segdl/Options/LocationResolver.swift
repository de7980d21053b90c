import Logging
import SegmentedDL
internal import SegmentedDLMirror
import SegmentedDLQueue
import SegmentedDLSupport

/// Resolves the locations of files in hubs and stores, with the settings and keys of this process.
final class LocationResolver: Sendable {
    private struct Store {
        let profiles: AWSProfiles
        let settings: S3Settings
    }

    private struct Known {
        var hub: HubSettings?
        /// The stores by profile name, so that keys printed by a command are shared by all files.
        var stores: [String?: Store] = [:]
    }

    private let environment: [String: String]
    private let profile: String?
    private let isSigned: Bool
    /// True to reread tokens and profiles that have changed, for a long-running process.
    private let isLasting: Bool
    private let note: @Sendable (String) -> Void
    private let known = Lock(Known())

    /// - Parameters:
    ///   - profile: The profile for objects whose location contains none; `nil` for that of the environment.
    ///   - isSigned: False to ignore the keys of stores.
    ///   - note: Shows a message.
    init(
        environment: [String: String] = ProcessEnvironment.variables, profile: String? = nil,
        isSigned: Bool = true, isLasting: Bool = true, note: @escaping @Sendable (String) -> Void
    ) {
        self.environment = environment
        self.profile = profile
        self.isSigned = isSigned
        self.isLasting = isLasting
        self.note = note
    }

    /// Returns the URL of a location, and the keys for it. Blocks, because it may read profiles and the token
    /// file.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`, `invalidURL` or `badPath`.
    func resolved(_ location: FileLocation) throws(DownloadError) -> ResolvedSource {
        switch location {
        case .hub(let location):
            let settings = try hub()
            let source = HubSource(location, settings)
            return ResolvedSource(
                try source.file(), headers: settings.headers, quotaAdvice: settings.quotaAdvice,
                explained: { source.explained($0) })
        case .object(let location):
            let settings = try store(location.profile)
            return ResolvedSource(
                try location.object(in: settings), credentials: settings.credentials,
                explained: { location.explained($0) })
        }
    }

    /// Returns the URL of a source's location, and the keys for it; `nil` for a URL. Blocks.
    ///
    /// - Throws: The errors of `resolved(_:)`.
    @Sendable func resolved(_ source: Source) throws(DownloadError) -> ResolvedSource? {
        guard let location = source.location else { return nil }
        return try resolved(location)
    }

    /// Returns the settings of a hub. Blocks.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` or `invalidURL`.
    func hub() throws(DownloadError) -> HubSettings {
        if !isLasting, let hub = known.withLock(\.hub) { return hub }
        let hub = try HubSettings(environment: environment)
        known.withLock { $0.hub = hub }
        return hub
    }

    /// Returns the settings of a store. Blocks.
    ///
    /// - Parameter named: The profile in a location.
    /// - Throws: `DownloadError` with code `invalidSetting`, `invalidURL` or `badPath`.
    func store(_ named: String? = nil) throws(DownloadError) -> S3Settings {
        let name = named ?? profile
        let last = known.withLock { $0.stores[name] }
        if !isLasting, let last { return last.settings }
        let profiles = try AWSAccess.profiles(environment: environment)
        if let last, last.profiles == profiles { return last.settings }
        let settings = try S3Settings(
            environment: environment, profiles: profiles, profile: name, isSigned: isSigned,
            isOnAWS: AWSAccess.isOnAWS, effects: AWSAccess.effects(note: note))
        known.withLock { $0.stores[name] = Store(profiles: profiles, settings: settings) }
        return settings
    }

    /// Checks the settings that files need, so that an error is reported once, before the first download.
    ///
    /// - Throws: The errors of `hub` and `store`.
    func prepare(for sources: some Sequence<Source>) throws(DownloadError) {
        var schemes: Set<String> = []
        for source in sources where schemes.insert(source.origin.scheme).inserted {
            switch source.location {
            case .hub: _ = try hub()
            // A location may contain a different profile.
            case .object(let location): if location.profile == nil { _ = try store() }
            case nil: break
            }
        }
    }
}

extension ManagerConfiguration {
    /// Enables a queue to download from hubs and stores.
    mutating func resolvesLocations() {
        let resolver = LocationResolver { [logger = downloads.logger] in logger.notice("\($0)") }
        resolve = { location in
            try await DiskThread.run { try resolver.resolved(location) }
        }
    }
}
