internal import SegmentedDL

/// Reads lines of tab-separated columns (`ListFormat.tabSeparated`).
struct TabLineReader: LineReader {
    private enum Column: String { case url, path, size, digest }

    private let hub: HubFileURL?
    private var columns: [Column?] = [.url, .path, .size, .digest]
    private var isFirst = true

    init(hub: HubFileURL?) {
        self.hub = hub
    }

    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry? {
        if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) || line.bytes.first == UInt8(ascii: "#") {
            return nil
        }
        let fields = line.bytes.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        defer { isFirst = false }
        if isFirst, fields.contains(where: { $0.lowercased() == "url" }) {
            columns = fields.map { Column(rawValue: $0.lowercased()) }
            return nil
        }
        do throws(DownloadError) {
            return .item(try read(fields).item(hub: hub))
        } catch {
            return Self.unusable(line.number, error)
        }
    }

    mutating func finish() -> MirrorEntry? { nil }

    private func read(_ fields: [String]) throws(DownloadError) -> FieldLine {
        guard fields.count <= columns.count else {
            throw DownloadError(
                .invalidSetting, "The line has \(fields.count) columns, but only \(columns.count) are known.")
        }
        var line = FieldLine()
        for (column, field) in zip(columns, fields) where !field.isEmpty {
            switch column {
            case .url: line.urls = field.split(separator: " ").map(String.init)
            case .path: line.path = field
            case .size:
                guard let size = ContentRange.number(field) else {
                    throw DownloadError(
                        .invalidSetting, "The size '\(Printable.text(field))' is not a number of bytes.")
                }
                line.size = size
            case .digest: line.digests = [field]
            case nil: break
            }
        }
        return line
    }
}
