package import SegmentedDL

/// The translation to aria2's options for a file; there is no other.
extension Aria2Values {
    /// The options that express a request, except its sources, destination and digests.
    package init(of request: DownloadRequest) {
        self.init(defaults: .call)
        if case .fixed(let count) = request.segments { given["split"] = ["\(count)"] }
        if let rate = request.rate { given["max-download-limit"] = ["\(rate)"] }
        if let count = request.tries?.count { given["max-tries"] = ["\(count)"] }
        if let wait = request.tries?.wait { given["retry-wait"] = ["\(wait)"] }
        if !request.headers.isEmpty { given["header"] = request.headers.map { "\($0.name): \($0.value)" } }
        if let credentials = request.credentials {
            given["http-user"] = [credentials.user]
            given["http-passwd"] = [credentials.password]
        }
        set("conditional-get", request.ifExists == .update)
        set("allow-overwrite", request.ifExists == .replace)
        set("auto-file-renaming", request.ifExists != .fail)
        if request.startsOver { set("remove-control-file", true) }
        set("continue", request.takesOver)
        set("remote-time", request.keepsRemoteDate)
        if request.order == .inOrder { given["stream-piece-selector"] = ["inorder"] }
    }

    private mutating func set(_ name: String, _ isSet: Bool) { given[name] = [isSet ? "true" : "false"] }
}
