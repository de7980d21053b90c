extension Source {
    /// The group of requests to its host that the host may count separately: those to one kind of an API
    /// (`api/KIND`), or all others, for which the group is empty. The Hugging Face Hub counts `api/models`
    /// and `api/resolve-cache`, to which it redirects requests for files, by different quotas.
    var quotaGroup: String {
        let path = url.utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst(3).drop { $0 != UInt8(ascii: "/") }
        guard path.starts(with: "/api/".utf8) else { return "" }
        let kind = path.dropFirst(5).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return "api/" + String(decoding: kind, as: UTF8.self)
    }
}
