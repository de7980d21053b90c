import SegmentedDL

/// Formats the properties of a remote file, as text and for programs.
enum LookText {
    private static let width = 10

    static func lines(_ url: String, _ file: RemoteFile) -> String {
        let response = file.response
        var rows = [("url", url)]
        let final = response.finalSource.description
        if final != url { rows.append(("final url", final)) }
        rows.append(("name", file.name ?? "none: choose one with --output"))
        rows.append(("length", response.length.map(length) ?? "not stated"))
        rows.append(("type", response.contentType ?? "not stated"))
        rows.append(("date", response.lastModified ?? "not stated"))
        rows.append(("etag", response.etag ?? "none"))
        rows.append(
            ("resumable", file.isResumable ? "yes" : "no: one connection, and a lost connection starts over"))
        if let digest = file.digest { rows.append(("digest", digest.description)) }
        return rows.map { name, value in
            let padding = String(repeating: " ", count: max(1, width - name.count))
            return "\(name):\(padding)\(TextWidth.printable(value, ascii: false))\n"
        }.joined() + "\n"
    }

    private static func length(_ bytes: Int64) -> String {
        bytes < 1024 ? "\(bytes) bytes" : "\(bytes) bytes (\(ByteFormat.size(bytes)))"
    }

    static func json(_ id: Int, _ url: String, _ file: RemoteFile) -> String {
        let response = file.response
        var line = JSONLine(event: "found")
        line.add("id", id)
        line.add("url", url)
        line.add("name", file.name)
        line.add("final_url", response.finalSource.description)
        line.add("status", response.status)
        line.add("total", response.length)
        line.add("type", response.contentType)
        line.add("last_modified", response.lastModified)
        line.add("etag", response.etag)
        line.add("resumable", file.isResumable)
        line.add("digest", file.digest?.description)
        return line.line
    }
}
