internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reads lines that are JSON objects (`ListFormat.jsonLines`).
struct JSONLineReader: LineReader {
    let hub: HubFileURL?

    mutating func take(_ line: LineSplitter.Line) -> MirrorEntry? {
        if line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
        do throws(DownloadError) {
            return .item(try Self.decode(line.bytes).item(hub: hub))
        } catch {
            return Self.unusable(line.number, error)
        }
    }

    mutating func finish() -> MirrorEntry? { nil }

    private static func decode(_ bytes: ArraySlice<UInt8>) throws(DownloadError) -> FieldLine {
        do {
            return try JSONDecoder().decode(JSONFields.self, from: Data(bytes)).fields
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
            let key = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw DownloadError(
                .invalidSetting,
                key.isEmpty
                    ? "The line is not a JSON object."
                    : "'\(Printable.text(key))' has a value of the wrong type.")
        } catch {
            throw DownloadError(.invalidSetting, "The line is not a JSON object.")
        }
    }
}

private struct JSONFields: Decodable {
    var fields = FieldLine()

    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: Key.self)
        fields.urls = try Self.texts(object, "url")
        fields.path = try object.decodeIfPresent(String.self, forKey: Key("path"))
        fields.size = try object.decodeIfPresent(Int64.self, forKey: Key("size"))
        fields.digests = try Self.texts(object, "digest")
        for algorithm in Checksum.Algorithm.allCases {
            if let digits = try object.decodeIfPresent(String.self, forKey: Key(algorithm.rawValue)) {
                fields.digests.append("\(algorithm.rawValue)=\(digits)")
            }
        }
        fields.etag = try object.decodeIfPresent(String.self, forKey: Key("etag"))
        fields.headers = try Self.texts(object, "header")
        fields.types = try Self.texts(object, "expect_type")
        fields.lastModified = try object.decodeIfPresent(String.self, forKey: Key("last_modified"))
    }

    /// Returns the value of a member that is a string or an array of strings.
    private static func texts(_ object: KeyedDecodingContainer<Key>, _ name: String) throws -> [String] {
        let key = Key(name)
        guard object.contains(key), try !object.decodeNil(forKey: key) else { return [] }
        if let texts = try? object.decode([String].self, forKey: key) { return texts }
        return [try object.decode(String.self, forKey: key)]
    }
}
