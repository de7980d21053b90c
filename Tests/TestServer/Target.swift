/// `/BEHAVIOUR/SIZE/NAME?query`
struct Target: Sendable {
    let behaviour: String
    let size: Int64
    /// Still percent-encoded; used only for redirects to the same file.
    let name: String
    let query: Query

    /// Nil if the path does not have that form.
    init?(path: Substring, query: Query) {
        let parts = path.split(separator: "/", maxSplits: 2)
        guard parts.count >= 2, let size = Int64(parts[1]), size >= 0 else { return nil }
        behaviour = String(parts[0])
        self.size = size
        name = parts.count > 2 ? String(parts[2]) : ""
        self.query = query
    }

    /// The path and query of the same file with another behaviour.
    func sibling(_ behaviour: String, dropping names: Set<String> = [], adding items: [String] = []) -> String
    {
        let query = items + self.query.raw(without: names)
        return "/\(behaviour)/\(size)/\(name)" + (query.isEmpty ? "" : "?" + query.joined(separator: "&"))
    }
}
