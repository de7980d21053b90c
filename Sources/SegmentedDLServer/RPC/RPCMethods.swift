/// aria2's methods by name.
enum RPCMethods {
    typealias Method = @Sendable (RPCService, RPCParameters) async throws -> JSONValue

    static let all: [String: Method] = adding.merging(control) { first, _ in first }
        .merging(questions) { first, _ in first }.merging(settings) { first, _ in first }

    /// The response of `system.listMethods`. Methods for torrents are omitted: clients assume that a listed
    /// method works.
    static var names: [String] {
        (all.keys.filter { !unsupported.contains($0) }
            + ["system.multicall", "system.listMethods", "system.listNotifications"]).sorted()
    }

    static let notifications = [
        "aria2.onDownloadStart", "aria2.onDownloadPause", "aria2.onDownloadStop", "aria2.onDownloadComplete",
        "aria2.onDownloadError",
    ]

    private static let unsupported: Set<String> = ["aria2.addTorrent", "aria2.getPeers"]
}
